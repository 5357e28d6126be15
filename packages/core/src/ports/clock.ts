/** Wall time. The store never trusts it to be monotonic: see `store/recorder.ts`. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  now(): number
}
