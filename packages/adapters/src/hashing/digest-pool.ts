/**
 * The digest threads of this process. The first long stream starts the first thread. Another thread starts only when
 * all existing ones are busy, and a thread without work ends after a while.
 */
import type { CryptographicAlgorithm, DigestsBeside } from '@varve/core'
import { DigestThread, type ThreadEvents } from './digest-thread.ts'

interface Member {
  readonly thread: DigestThread
  ready: boolean
  idle: NodeJS.Timeout | undefined
}

export interface DigestPoolOptions {
  /** How long a thread without work is kept, in milliseconds. */
  readonly keptIdleMs?: number
  readonly start?: (events: ThreadEvents) => DigestThread
}

export class DigestPool {
  readonly #keptIdleMs: number
  readonly #startThread: (events: ThreadEvents) => DigestThread
  readonly #members: Member[] = []
  /** A thread could not be started: the pool does not try again. */
  #unavailable = false

  constructor({ keptIdleMs = 30_000, start = (events) => new DigestThread(events) }: DigestPoolOptions = {}) {
    this.#keptIdleMs = keptIdleMs
    this.#startThread = start
  }

  /** How many threads there are. */
  get size(): number {
    return this.#members.length
  }

  /** `undefined` if no thread is free: then the caller computes faster itself. Never waits for a thread to start. */
  open(algorithms: readonly CryptographicAlgorithm[], threadsMax: number): DigestsBeside | undefined {
    let free: Member | undefined
    for (const member of this.#members.slice(0, threadsMax)) {
      if (!member.ready || member.thread.crowded) continue
      if (free === undefined || member.thread.load < free.thread.load) free = member
    }
    if (free === undefined) {
      if (this.#members.length < threadsMax && this.#members.every(({ ready }) => ready)) this.#start()
      return undefined
    }
    clearTimeout(free.idle)
    return free.thread.open(algorithms)
  }

  #start(): void {
    if (this.#unavailable) return
    try {
      const thread = this.#startThread({
        onReady: () => {
          member.ready = true
          this.#endWhenIdle(member)
        },
        onIdle: () => this.#endWhenIdle(member),
        onEnd: () => {
          if (!member.ready) this.#unavailable = true
          this.#drop(member)
        },
      })
      const member: Member = { thread, ready: false, idle: undefined }
      this.#members.push(member)
    } catch {
      // Threads are forbidden or unavailable here: the caller's thread computes the digests.
      this.#unavailable = true
    }
  }

  #endWhenIdle(member: Member): void {
    clearTimeout(member.idle)
    member.idle = setTimeout(() => {
      this.#drop(member)
      void member.thread.end()
    }, this.#keptIdleMs).unref()
  }

  #drop(member: Member): void {
    clearTimeout(member.idle)
    const at = this.#members.indexOf(member)
    if (at !== -1) this.#members.splice(at, 1)
  }
}
