/** What a server shows of its log: checkpoints are signed at most once a second, because each costs a write. */
const keptMs = 1000

export class ShownLog {
  /** Everyone may read checkpoints and hashes. */
  readonly isOpen: boolean
  readonly #now: () => number
  #text: Promise<string> | undefined
  #until = 0

  constructor(isOpen: boolean, now: () => number) {
    this.isOpen = isOpen
    this.#now = now
  }

  checkpoint(sign: () => Promise<string>): Promise<string> {
    const now = this.#now()
    // A clock that was set back must not keep a checkpoint for longer.
    const isKept = now < this.#until && now >= this.#until - keptMs
    if (this.#text !== undefined && isKept) return this.#text
    const text = sign()
    this.#text = text
    this.#until = now + keptMs
    text.catch(() => {
      if (this.#text === text) this.#text = undefined
    })
    return text
  }
}
