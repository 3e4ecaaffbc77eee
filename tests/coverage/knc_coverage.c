// SPDX-License-Identifier: GPL-2.0
/*
 * knc_coverage.ko: keeps the counters of modules that were built with -fprofile-arcs, because they
 * vanish when a module is unloaded. /sys/kernel/debug/knc_coverage has a line "module NAME KEY" for
 * each unloading, and a line "INDEX COUNT..." for each function that ran. INDEX is the function's
 * place among the symbols of counters. KEY is a hash of the names of these symbols, which the
 * report compares with the module's file.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/vmalloc.h>

/* of all unloadings of a card; a dump takes 100 kB */
#define ROOM (16 << 20)

static DEFINE_MUTEX(lock);
static char *text;
static size_t length;
static struct dentry *file;

static __printf(1, 2) void put(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	length += vscnprintf(text + length, ROOM - length, format, args);
	va_end(args);
}

static u64 hash_name(u64 hash, const char *name)
{
	for (; *name; name++)
		hash = (hash ^ (u8)*name) * 0x100000001b3ULL;
	return hash;
}

/* The symbol's counters, or NULL if it has none */
static const u64 *counters(const struct mod_kallsyms *symbols, const Elf_Sym *symbol)
{
	const char *name = symbols->strtab + symbol->st_name;

	return strncmp(name, "__gcov0.", 8) ? NULL : (const u64 *)symbol->st_value;
}

static void put_function(unsigned int index, const u64 *count, unsigned long n)
{
	unsigned long i;

	if (!memchr_inv(count, 0, n * sizeof(*count)))
		return;
	put("%u", index);
	for (i = 0; i < n; i++)
		put(" %llu", count[i]);
	put("\n");
}

static void put_module(const struct module *mod, const struct mod_kallsyms *symbols)
{
	unsigned int i, index = 0;
	u64 hash = 0xcbf29ce484222325ULL;

	for (i = 0; i < symbols->num_symtab; i++)
		if (counters(symbols, symbols->symtab + i))
			hash = hash_name(hash, symbols->strtab + symbols->symtab[i].st_name);
	put("module %s %016llx\n", mod->name, hash);
	for (i = 0; i < symbols->num_symtab; i++) {
		const Elf_Sym *symbol = symbols->symtab + i;
		const u64 *count = counters(symbols, symbol);

		if (count)
			put_function(index++, count, symbol->st_size / sizeof(*count));
	}
}

/* GOING: also of a module that refuses to load */
static int module_changed(struct notifier_block *block, unsigned long state, void *data)
{
	const struct module *mod = data;

	if (state != MODULE_STATE_GOING || strncmp(mod->name, "knc_pmu", 7))
		return NOTIFY_DONE;
	mutex_lock(&lock);
	put_module(mod, rcu_dereference_raw(mod->kallsyms));
	mutex_unlock(&lock);
	return NOTIFY_OK;
}

static struct notifier_block changes = { .notifier_call = module_changed };

static ssize_t read_text(struct file *unused, char __user *buffer, size_t count, loff_t *pos)
{
	ssize_t done;

	mutex_lock(&lock);
	done = simple_read_from_buffer(buffer, count, pos, text, length);
	mutex_unlock(&lock);
	return done;
}

static const struct file_operations text_operations = {
	.owner = THIS_MODULE,
	.read = read_text,
	.llseek = default_llseek,
};

static int __init coverage_init(void)
{
	text = vmalloc(ROOM);
	if (!text)
		return -ENOMEM;
	file = debugfs_create_file("knc_coverage", 0400, NULL, NULL, &text_operations);
	return register_module_notifier(&changes);
}

static void __exit coverage_exit(void)
{
	unregister_module_notifier(&changes);
	debugfs_remove(file);
	vfree(text);
}

module_init(coverage_init);
module_exit(coverage_exit);

MODULE_DESCRIPTION("counters of modules that were built with -fprofile-arcs");
MODULE_LICENSE("GPL");
