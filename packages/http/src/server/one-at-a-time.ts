/**
 * One request of a connection is under way at a time. Node starts requests that a client sends without waiting for answers
 * (pipelining) as they are parsed, and keeps their answers in memory until the client has read those before: a few hundred
 * of them would cost what a few hundred connections do. So the next begins when the answer before is written to its end.
 */

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of a connection that wait. Beyond them none is taken, and the last one ends the connection. */
const waitingMax = 64
/** Requests of all connections that wait, or that Node keeps though they were not taken. Beyond them a connection ends at once. */
const waitingOfAllMax = 1024
/** With so many waiting nothing more is read. */
const pausedFrom = 4

/** Called when a request of a connection begins, and when none is in progress any more. */
export interface ConnectionWatch {
  busy(connection: Socket): void
  idle(connection: Socket): void
}

export class OneAtATime {
  readonly #lines = new WeakMap<Socket, Line>()
  readonly #all: AllLines

  constructor(watch?: ConnectionWatch) {
    this.#all = { waiting: 0, underWay: 0, watch, drained: undefined }
  }

  /**
   * Starts a request when those before it on its connection are over, or never, if the connection ends before. `isLast` is
   * to be asked when its response begins.
   */
  take(response: ServerResponse, start: (isLast: () => boolean) => unknown): void {
    const { socket } = response.req
    let line = this.#lines.get(socket)
    if (line === undefined) {
      line = new Line(socket, this.#all)
      this.#lines.set(socket, line)
    }
    line.take({ response, start })
  }

  /** From now on every answer is the last on its connection. Resolves when none is under way. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#all.drained = resolve
      if (this.#all.underWay === 0) resolve()
    })
  }
}

/** What the connections have in common. */
interface AllLines {
  waiting: number
  underWay: number
  readonly watch: ConnectionWatch | undefined
  /** Called when no more is under way: then every answer is the last. */
  drained: (() => void) | undefined
}

interface Waiting {
  readonly response: ServerResponse
  readonly start: (isLast: () => boolean) => unknown
}

class Line {
  readonly #socket: Socket
  readonly #waiting: Waiting[] = []
  readonly #all: AllLines
  #isBusy = false
  #isOver = false
  /** Requests that were not taken: Node keeps them as long as the connection. */
  #refused = 0

  constructor(socket: Socket, all: AllLines) {
    this.#socket = socket
    this.#all = all
  }

  take(request: Waiting): void {
    if (!this.#isBusy) {
      this.#isBusy = true
      this.#all.watch?.busy(this.#socket)
      return this.#start(request)
    }
    if (this.#socket.destroyed) return
    if (this.#all.waiting === waitingOfAllMax) return this.#cut()
    this.#all.waiting++
    this.#isOver ||= this.#waiting.length === waitingMax
    if (this.#isOver) this.#refuse()
    else this.#waiting.push(request)
    if (this.#waiting.length === pausedFrom) this.#socket.pause()
  }

  #refuse(): void {
    if (this.#refused === 0) this.#socket.once('close', this.#forget)
    this.#refused++
    stopParsing(this.#socket)
  }

  #cut(): void {
    stopParsing(this.#socket)
    this.#socket.destroy()
  }

  #start({ response, start }: Waiting): void {
    this.#all.underWay++
    response.on('close', this.#next)
    start(this.#isLast)
  }

  readonly #isLast = (): boolean => this.#all.drained !== undefined || (this.#isOver && this.#waiting.length === 0)

  readonly #next = (): void => {
    this.#all.underWay--
    if (this.#socket.destroyed) this.#forget()
    const next = this.#waiting.shift()
    if (next === undefined) this.#rest()
    else {
      this.#all.waiting--
      if (this.#waiting.length === pausedFrom - 1 && !this.#isOver) this.#socket.resume()
      this.#start(next)
    }
  }

  #rest(): void {
    this.#isBusy = false
    this.#all.watch?.idle(this.#socket)
    if (this.#all.underWay === 0) this.#all.drained?.()
  }

  readonly #forget = (): void => {
    this.#all.waiting -= this.#waiting.length + this.#refused
    this.#waiting.length = 0
    this.#refused = 0
  }
}

/**
 * What was read with a request, 64 KiB at most, may hold hundreds more, and each costs something to parse though it will not be answered.
 * From now on the parser takes each for an upgrade of the protocol, and leaves what is behind it alone: Node has no other way to
 * stop, and where this one is gone they are parsed and passed over.
 */
function stopParsing(socket: Socket & { readonly parser?: { onIncoming?: unknown } | null }): void {
  if (typeof socket.parser?.onIncoming === 'function') socket.parser.onIncoming = () => upgrade
}

/** To Node's parser: there is no body, and what follows is another protocol. */
const upgrade = 2
