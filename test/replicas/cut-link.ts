/** A link to a server that can be cut: what was sent meanwhile arrives when it is mended. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface CutLink {
  /** The address of the server, by this link. */
  readonly url: string
  /** Nothing passes, and no connection is closed. */
  cut(): void
  mend(): void
  close(): Promise<void>
}

export async function cutLink(to: string): Promise<CutLink> {
  const { hostname, port } = new URL(to)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => void into.write(bytes))
      from.on('error', () => into.destroy())
      from.on('close', () => {
        sockets.delete(from)
        into.destroy()
      })
      if (isCut) from.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true
      for (const socket of sockets) socket.pause()
    },
    mend() {
      isCut = false
      for (const socket of sockets) socket.resume()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
