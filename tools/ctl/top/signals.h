/* SPDX-License-Identifier: GPL-2.0 */
/* Signals of top, from a descriptor */
#ifndef KNC_CTL_TOP_SIGNALS_H
#define KNC_CTL_TOP_SIGNALS_H

/* Receive signals from now on, SIGTSTP only @with_stop; returns an exit status */
int top_take_signals(int with_stop);
/* The signal that ends the program; 0: none yet */
int top_signal(void);
/* A descriptor that is readable when a signal has come */
int top_signal_fd(void);
/* Has top_signal() seen SIGTSTP? */
int top_stop_asked(void);
/* Stop as SIGTSTP does; returns when the program is continued */
void top_stop(void);

#endif /* KNC_CTL_TOP_SIGNALS_H */
