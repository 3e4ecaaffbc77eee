// SPDX-License-Identifier: GPL-2.0
// Code that is made at run time, until the input ends
function madeLoop(n)
{
	let sum = 0;

	for (let i = 0; i < n; i++)
		sum = (sum * 31 + i) | 0;
	return sum;
}

let total = 0;

for (let i = 0; i < 300; i++)
	total ^= madeLoop(100000);
console.log(total);
process.stdin.on("data", () => process.exit(0));
