/** The time of the machine, twice: as people set it, and as it passes. */
export interface Clock {
  /** Wall time, which may jump either way. Milliseconds since the Unix epoch, UTC. */
  now(): number
  /**
   * Milliseconds since some moment before the store was opened. It never runs backwards, and setting the wall clock does not touch
   * it. Where the machine supports it, it goes on while the machine sleeps.
   */
  monotonic(): number
}
