/**
 * Which downloads may hold a whole run of 1 MiB each for as long as their clients take: the first few. Any more at the same
 * time are thrifty, so that clients that do not read cost little, however many there are.
 */
const slots = 32

export class DownloadSlots {
  #taken = 0

  /** Gives back what was taken, as often as it is called; `undefined` when all are taken. */
  take(): (() => void) | undefined {
    if (this.#taken === slots) return undefined
    this.#taken++
    let isMine = true
    return () => {
      if (isMine) this.#taken--
      isMine = false
    }
  }
}
