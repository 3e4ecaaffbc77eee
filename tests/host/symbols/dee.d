// SPDX-License-Identifier: GPL-2.0
// A program in D, compiled by LLVM
module dee;

import core.volatile;

__gshared ulong sink;

pragma(inline, false) ulong busy(ulong n)
{
	foreach (i; 0 .. n)
		volatileStore(&sink, volatileLoad(&sink) + i);
	return volatileLoad(&sink);
}

int main(string[] args)
{
	return cast(int)(busy(args.length * 1000) & 1);
}
