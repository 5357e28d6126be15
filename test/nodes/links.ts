/** Connections between members of a cluster, through a proxy that can cut them as a network does: nothing arrives until it is whole again. */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { originOf } from './startup-message.ts'

/** Where the connection of a commit breaks: before the server has it, when it has it, and when it has answered. */
export type CommitMoment = 'before' | 'during' | 'answer'

interface Connection {
  readonly client: Socket
  readonly server: Socket
  /** The name by which the client of a database presents itself. */
  origin: string | undefined
}

interface CommitCut {
  readonly moment: CommitMoment
  left: number
}

/** Cuts what comes from any origin. */
const anyone = Symbol('anyone')

export class Link {
  readonly #server: Server
  readonly #to: number
  readonly #connections = new Set<Connection>()
  readonly #cut = new Set<string | typeof anyone>()
  #commits: CommitCut | undefined

  private constructor(to: number) {
    this.#to = to
    this.#server = createServer((client) => this.#accept(client))
  }

  static async to(port: number): Promise<Link> {
    const link = new Link(port)
    await new Promise<void>((resolve) => link.#server.listen(0, '127.0.0.1', resolve))
    return link
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  cut(origin: string | typeof anyone = anyone): void {
    this.#cut.add(origin)
    for (const connection of this.#connections) this.#hold(connection)
  }

  heal(): void {
    this.#cut.clear()
    for (const { client, server } of this.#connections) {
      client.resume()
      server.resume()
    }
  }

  /** Breaks the connections of the next commits. */
  cutCommits(moment: CommitMoment, count: number): void {
    this.#commits = { moment, left: count }
  }

  /** How many commits are still to be cut. */
  get commitsLeft(): number {
    return this.#commits?.left ?? 0
  }

  close(): void {
    this.#server.close()
    for (const { client, server } of this.#connections) for (const socket of [client, server]) socket.destroy()
  }

  #isCut({ origin }: Connection): boolean {
    return this.#cut.has(anyone) || (origin !== undefined && this.#cut.has(origin))
  }

  #hold(connection: Connection): boolean {
    if (!this.#isCut(connection)) return false
    connection.client.pause()
    connection.server.pause()
    return true
  }

  #accept(client: Socket): void {
    const server = connect(this.#to, '127.0.0.1')
    const connection: Connection = { client, server, origin: undefined }
    this.#connections.add(connection)
    const end = (): void => {
      this.#connections.delete(connection)
      client.destroy()
      server.destroy()
    }
    // A paused socket reports its end when it is read again, so the end does not pass a cut either.
    const sides = [client, server] as const
    for (const [socket, peer] of [sides, sides.toReversed() as [Socket, Socket]]) {
      socket.setNoDelay()
      socket.on('error', end)
      socket.on('end', () => peer.end())
      // What the peer was given before goes out first.
      socket.on('close', () => {
        this.#connections.delete(connection)
        peer.destroySoon()
      })
    }
    client.on('data', (chunk: Buffer) => this.#fromClient(connection, chunk, end))
    server.on('data', (chunk: Buffer) => this.#pass(connection, [server, client], chunk))
    this.#hold(connection)
  }

  #fromClient(connection: Connection, chunk: Buffer, end: () => void): void {
    connection.origin ??= originOf(chunk)
    const { client, server } = connection
    if (this.#commits !== undefined && this.#commits.left > 0 && chunk.includes('.commit($1')) {
      this.#commits.left--
      const { moment } = this.#commits
      if (moment === 'before') return end()
      if (moment === 'during') {
        server.write(chunk, () => setTimeout(end, 2))
        return
      }
      // What the server answers from now on does not arrive.
      server.removeAllListeners('data')
      server.once('data', end)
    }
    this.#pass(connection, [client, server], chunk)
  }

  /** A chunk that was read before the cut arrives after it. */
  #pass(connection: Connection, [from, to]: readonly [Socket, Socket], chunk: Buffer): void {
    // A socket that is not paused would give the chunk again at once.
    if (this.#hold(connection)) {
      from.unshift(chunk)
      return
    }
    if (to.write(chunk)) return
    from.pause()
    to.once('drain', () => {
      if (!this.#isCut(connection)) from.resume()
    })
  }
}

/** The links of a cluster, by the members at their ends. */
export class Links {
  readonly #links = new Map<string, Link>()

  async add(from: string, to: string, port: number): Promise<void> {
    this.#links.set(`${from} ${to}`, await Link.to(port))
  }

  between(from: string, to: string): Link {
    const link = this.#links.get(`${from} ${to}`)
    if (link === undefined) throw new Error(`There is no link from ${from} to ${to}.`)
    return link
  }

  heal(): void {
    for (const link of this.#links.values()) link.heal()
  }

  close(): void {
    for (const link of this.#links.values()) link.close()
  }
}
