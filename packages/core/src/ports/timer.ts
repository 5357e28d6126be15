/** Waiting. Without one, background work runs as fast as it can, and reads from memory keep the event loop to themselves. */
export interface Timer {
  /** Resolves after so many milliseconds, or rejects with the signal's reason when it aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
  /** Resolves after the event loop has handled the I/O that is ready: a promise alone never lets it do that. */
  nextTurn(): Promise<void>
}
