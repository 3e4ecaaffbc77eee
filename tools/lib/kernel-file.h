/* SPDX-License-Identifier: GPL-2.0 */
/* Files of /proc and /sys, and names of processes */
#ifndef KNCPMU_KERNEL_FILE_H
#define KNCPMU_KERNEL_FILE_H

#include "kncpmu.h"

/**
 * kncpmu_process_name() - write the number and name of a process
 * @pid: the process; 0: one that is not visible from here
 * @text: for instance "pid 123 (stress)", clean, out; KNCPMU_PROCESS_LEN is always enough
 * @size: bytes of @text
 */
void kncpmu_process_name(int pid, char *text, size_t size);

/* Bytes for the clean name of any thread, and for kncpmu_process_name() */
#define KNCPMU_COMM_LEN		64
#define KNCPMU_PROCESS_LEN	96

/**
 * kncpmu_read_line() - read the first line of a small file, as of /proc and /sys
 * @path: the file
 * @line: the line without its newline, or ""; not clean (kncpmu_clean()); out
 * @size: bytes of @line
 *
 * Return: 0, or a negative errno: the file can't be opened.
 */
int kncpmu_read_line(const char *path, char *line, size_t size);

/**
 * kncpmu_kernel_line() - read the first line of a small file of /proc or /sys
 * @path: the file
 * @line: the line without its newline, or ""; not clean (kncpmu_clean()); out
 * @size: bytes of @line
 *
 * In a container a file of another file system may be mounted over one of the kernel, as by lxcfs,
 * and directories may be missing.
 *
 * Return: 0; -ENOENT: the kernel has no such file; -EXDEV: the file, or the directory in which it
 * would be, is not the kernel's; another negative errno of opening it.
 */
int kncpmu_kernel_line(const char *path, char *line, size_t size);

/**
 * kncpmu_kernel_open() - open a file of /proc or /sys
 * @path: the file
 * @error: 0, or a negative errno as of kncpmu_kernel_line(), out
 *
 * Return: the file; NULL: @error says why.
 */
FILE *kncpmu_kernel_open(const char *path, int *error);

/**
 * kncpmu_kernel_has() - does the kernel have a file or directory in /proc or /sys?
 * @path: the file
 *
 * Return: 0, or a negative errno as of kncpmu_kernel_line().
 */
int kncpmu_kernel_has(const char *path);

/**
 * kncpmu_kernel_why() - why a file of /proc or /sys can't be used
 * @path: the file
 * @error: what the function returned that was to read it
 *
 * Return: the text, with what to do where that is known.
 */
const char *kncpmu_kernel_why(const char *path, int error);

/**
 * kncpmu_proc_own() - are numbers of processes in /proc those of this process' pid namespace?
 *
 * Otherwise /proc/PID is another process than the one that the module, or the kernel, calls PID.
 *
 * Return: 0; -ESRCH: they are those of another one; -EXDEV: /proc is not mounted.
 */
int kncpmu_proc_own(void);

/**
 * kncpmu_proc_all() - does /proc show this process all processes of the machine?
 *
 * Return: 0; -EACCES: not those of other pid namespaces, or of other users (hidepid); else as
 * kncpmu_proc_own().
 */
int kncpmu_proc_all(void);

/**
 * kncpmu_proc_stat() - read /proc/PID/stat
 * @pid: a process or thread
 * @text: what it says, from its number on, out
 * @size: bytes of @text, 512 for all of it
 *
 * Its name may have any characters, a ')' and the end of a line too.
 *
 * Return: the state and what follows it, in @text; NULL: it has ended, or can't be read.
 */
char *kncpmu_proc_stat(int pid, char *text, size_t size);

/**
 * kncpmu_boot_ns() - nanoseconds since the machine booted, from which /proc/PID/stat counts
 *
 * /proc/uptime may be that of a container.
 */
unsigned long long kncpmu_boot_ns(void);

#endif /* KNCPMU_KERNEL_FILE_H */
