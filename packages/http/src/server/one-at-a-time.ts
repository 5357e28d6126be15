/**
 * One request of a connection is under way at a time. Node starts requests that a client sends without waiting for answers
 * (pipelining) as they are parsed, and keeps their answers in memory until the client has read those before: a few hundred
 * of them would cost what a few hundred connections do. So the next begins when the answer before is written to its end.
 */

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that wait, of a connection and of all. Beyond them none is taken, and the last one ends the connection. */
const waitingMax = 64
const waitingOfAllMax = 8192
/** With so many waiting nothing more is read. */
const pausedFrom = 4

export class OneAtATime {
  readonly #lines = new WeakMap<Socket, Line>()
  readonly #waiting = { count: 0 }

  /**
   * Starts a request when those before it on its connection are over, or never, if the connection ends before. `isLast` is
   * to be asked when its response begins.
   */
  take(response: ServerResponse, start: (isLast: () => boolean) => unknown): void {
    const { socket } = response.req
    let line = this.#lines.get(socket)
    if (line === undefined) {
      line = new Line(socket, this.#waiting)
      this.#lines.set(socket, line)
    }
    line.take({ response, start })
  }
}

interface Waiting {
  readonly response: ServerResponse
  readonly start: (isLast: () => boolean) => unknown
}

class Line {
  readonly #socket: Socket
  readonly #waiting: Waiting[] = []
  readonly #ofAll: { count: number }
  #isBusy = false
  #isOver = false

  constructor(socket: Socket, ofAll: { count: number }) {
    this.#socket = socket
    this.#ofAll = ofAll
  }

  take(request: Waiting): void {
    if (!this.#isBusy) return this.#start(request)
    this.#isOver ||= this.#waiting.length === waitingMax || this.#ofAll.count === waitingOfAllMax
    if (this.#isOver) return
    this.#waiting.push(request)
    this.#ofAll.count++
    if (this.#waiting.length === pausedFrom) this.#socket.pause()
  }

  #start({ response, start }: Waiting): void {
    this.#isBusy = true
    response.on('close', this.#next)
    start(this.#isLast)
  }

  readonly #isLast = (): boolean => this.#isOver && this.#waiting.length === 0

  readonly #next = (): void => {
    this.#isBusy = false
    if (this.#socket.destroyed) this.#forget()
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#ofAll.count--
    if (this.#waiting.length === pausedFrom - 1 && !this.#isOver) this.#socket.resume()
    this.#start(next)
  }

  #forget(): void {
    this.#ofAll.count -= this.#waiting.length
    this.#waiting.length = 0
  }
}
