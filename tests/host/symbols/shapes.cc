// SPDX-License-Identifier: GPL-2.0
// Functions whose names in C++ have blanks, parentheses, angle brackets and arrows
#include <map>
#include <string>
#include <utility>

#define FUNCTION __attribute__((noinline, noclone, used))

volatile long sink;

namespace {
	FUNCTION long hidden(long n)
	{
		return sink += n;
	}

	struct Inner {
		long at;

		FUNCTION long get(long n) const
		{
			return sink += at + n;
		}
	};
}

namespace knc {
	enum kind { small, large };

	template<typename T, kind K> struct Box {
		T value;

		FUNCTION T *operator->()
		{
			sink++;
			return &value;
		}

		FUNCTION long operator()(long n) const
		{
			return sink += n;
		}

		FUNCTION operator long() const
		{
			return sink++;
		}

		FUNCTION bool operator<(const Box<T, K> &) const
		{
			return sink++ & 1;
		}
	};

	template<typename F> FUNCTION auto apply(F f, long n) -> decltype(f(n))
	{
		return f(n) + sink++;
	}

	FUNCTION long call(long (*f)(long), const std::map<std::string, unsigned long> &)
	{
		return f(sink++);
	}

	template<typename... T> FUNCTION long many(T... n)
	{
		return sink += sizeof...(n);
	}
}

void *operator new(std::size_t size, knc::kind)
{
	sink++;
	return ::operator new(size);
}

int main()
{
	knc::Box<std::pair<int, const char *>, knc::large> box{};
	Inner inner{sink};
	long sum = hidden(1) + inner.get(2) + box->first + box(3) + static_cast<long>(box) + (box < box);

	sum += knc::apply(hidden, 4) + knc::apply([](long n) FUNCTION { return sink += n; }, 5);
	sum += knc::call(hidden, {}) + knc::many(1, 2L, 'c', &sum, "x", box);
	return (sum + *new (knc::large) int(1)) & 1;
}
