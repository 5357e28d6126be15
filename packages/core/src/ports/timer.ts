/** Waiting. Without it, background work runs at full speed, and reads from memory may block the event loop. */
export interface Timer {
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason when it aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
  /** Resolves after the event loop has handled pending I/O. Awaiting a plain promise does not do that. */
  nextTurn(): Promise<void>
  /** Keeps the process running until the function that it returns is called. Absent: nothing does. */
  hold?(): () => void
}
