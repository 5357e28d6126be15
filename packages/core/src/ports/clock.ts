/** The wall clock and the monotonic clock of the machine. */
export interface Clock {
  /** Wall time, which may jump forwards or backwards. Milliseconds since the Unix epoch, UTC. */
  now(): number
  /**
   * Milliseconds since some moment before the store was opened. It never runs backwards, and setting the wall clock
   * does not change it. If the machine supports it, it continues while the machine sleeps.
   */
  monotonic(): number
}
