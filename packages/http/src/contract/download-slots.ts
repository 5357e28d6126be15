/**
 * Slots for downloads that may hold a whole run of 1 MiB for as long as their clients take. One holder gets at most
 * half of the slots. Any further downloads at the same time hold less, so that clients that do not read cost little,
 * however many there are.
 */
const slots = 32
const slotsOfOne = slots / 2

export class DownloadSlots {
  readonly #byHolder = new Map<string, number>()
  #taken = 0

  /**
   * Takes a slot and returns a function that releases it, which may be called repeatedly. `undefined` without a free
   * slot for the holder.
   */
  take(holder: string): (() => void) | undefined {
    const own = this.#byHolder.get(holder) ?? 0
    if (this.#taken === slots || own === slotsOfOne) return undefined
    this.#taken++
    this.#byHolder.set(holder, own + 1)
    let isMine = true
    return () => {
      if (isMine) this.#give(holder)
      isMine = false
    }
  }

  #give(holder: string): void {
    this.#taken--
    const left = (this.#byHolder.get(holder) ?? 0) - 1
    // A few holders stay with no slots: V8 shrinks and grows a map of few entries all the time.
    if (left > 0 || this.#byHolder.size <= slots) this.#byHolder.set(holder, left)
    else this.#byHolder.delete(holder)
  }
}
