/**
 * Runs one request of a connection at a time. With pipelining, a client sends requests without waiting for answers.
 * Node starts them as it parses them, and keeps their answers in memory until the client has read the answers before: a
 * few hundred such requests would cost as much as a few hundred connections. So each request begins when the answer
 * before it is written to its end.
 */

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The most waiting requests of a connection. The last of them ends the connection, and later ones are not taken. */
const waitingMax = 64
/**
 * The most requests of all connections that wait, or that Node keeps though they were not taken. At this limit a
 * connection ends at once.
 */
const waitingOfAllMax = 1024
/** From this number of waiting requests on, nothing more is read from the connection. */
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
   * Starts a request when the requests before it on its connection have ended, or never, if the connection ends first.
   * Call `isLast` when the response begins.
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

  /** From now on every answer is the last on its connection. Resolves when no request is in progress. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#all.drained = resolve
      if (this.#all.underWay === 0) resolve()
    })
  }
}

/** State that all connections share. */
interface AllLines {
  waiting: number
  underWay: number
  readonly watch: ConnectionWatch | undefined
  /** Called when no request is in progress after `drain`. From then on every answer is the last on its connection. */
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
  /** Requests that were not taken. Node keeps them for as long as the connection. */
  #refused = 0

  constructor(socket: Socket, all: AllLines) {
    this.#socket = socket
    this.#all = all
  }

  take(request: Waiting): void {
    if (this.#hasEnded) return
    if (!this.#isBusy) {
      this.#isBusy = true
      this.#all.watch?.busy(this.#socket)
      return this.#start(request)
    }
    if (this.#all.waiting === waitingOfAllMax) return this.#cut()
    this.#all.waiting++
    this.#isOver ||= this.#waiting.length === waitingMax
    if (this.#isOver) this.#refuse()
    else this.#waiting.push(request)
    if (this.#waiting.length === pausedFrom) this.#socket.pause()
  }

  /** No request runs behind an answer that ended the connection. */
  get #hasEnded(): boolean {
    return this.#socket.destroyed || this.#socket.writableEnded
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
    if (this.#hasEnded) this.#forget()
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
 * Stops parsing. The bytes that were read with a request, at most 64 KiB, may hold hundreds more requests, and parsing
 * each costs time though none will be answered. From now on the parser treats each request as a protocol upgrade, and
 * does not parse the bytes behind it. Node has no other way to stop its parser. If a release of Node lacks this hook,
 * the requests are parsed and ignored.
 */
function stopParsing(socket: Socket & { readonly parser?: { onIncoming?: unknown } | null }): void {
  if (typeof socket.parser?.onIncoming === 'function') socket.parser.onIncoming = () => upgrade
}

/** Tells Node's parser that there is no body, and that another protocol follows. */
const upgrade = 2
