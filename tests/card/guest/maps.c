// SPDX-License-Identifier: GPL-2.0
/*
 * A program with many executable mappings, not a test: it maps two functions of its file
 * alternately, NR times, and calls each as soon as it is mapped. Then it calls all mappings again,
 * once or endlessly
 *
 *	maps NR [stay]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	4096UL

/*
 * Each function begins a page, and a page is between them: the kernel would merge mappings of
 * adjacent pages of a file.
 */
#define APART	__attribute__((__noinline__, __aligned__(2 * 4096)))

static APART void even_work(void)
{
	__asm__ __volatile__("mov $200, %%ecx\n1:\tdec %%ecx\n\tjnz 1b" : : : "ecx", "cc");
}

static APART void odd_work(void)
{
	__asm__ __volatile__("mov $200, %%edx\n1:\tdec %%edx\n\tjnz 1b" : : : "edx", "cc");
}

#define ALL	(PROT_READ | PROT_EXEC)

/* The offset of @function in this program's file, from its own mapping */
static unsigned long file_offset(void (*function)(void))
{
	unsigned long address = (unsigned long)function, start, end, offset, found = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	while (f && !found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    address >= start && address < end)
			found = address - start + offset;
	}
	if (f)
		fclose(f);
	return found;
}

static void call(char *page)
{
	((__typeof__(even_work) *)page)();
}

/* Map both functions alternately; the program uses no other memory in between */
static char *map_all(int fd, unsigned long nr)
{
	unsigned long offsets[] = { file_offset(even_work), file_offset(odd_work) }, i;
	char *area = mmap(NULL, nr * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			  -1, 0);

	if (area == MAP_FAILED)
		return NULL;
	for (i = 0; i < nr; i++) {
		if (mmap(area + i * PAGE, PAGE, ALL, MAP_PRIVATE | MAP_FIXED, fd,
			 offsets[i % 2]) == MAP_FAILED)
			return NULL;
		call(area + i * PAGE);
		madvise(area + i * PAGE, PAGE, MADV_DONTNEED);
	}
	return area;
}

static void call_all(char *area, unsigned long nr)
{
	unsigned long i;

	for (i = 0; i < nr; i++) {
		call(area + i * PAGE);
		madvise(area + i * PAGE, PAGE, MADV_DONTNEED);
	}
}

int main(int argc, char **argv)
{
	unsigned long nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	int fd = open("/proc/self/exe", O_RDONLY);
	char *area = fd < 0 ? NULL : map_all(fd, nr);

	if (!area) {
		perror("maps");
		return 1;
	}
	puts("mapped");
	fflush(stdout);
	do {
		call_all(area, nr);
	} while (argc > 2);
	return 0;
}
