// SPDX-License-Identifier: GPL-2.0
// A program in Rust
#[inline(never)]
pub fn busy(n: u64) -> u64 {
    let mut sum = 0u64;
    for i in 0..n {
        sum = std::hint::black_box(sum + i);
    }
    sum
}

fn main() {
    println!("{}", busy(std::env::args().count() as u64 * 1000));
}
