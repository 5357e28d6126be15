/** A proxy before the server, which breaks connections, changes bytes and keeps answers back. */
import { connect, createServer, type Server, type Socket } from 'node:net'

/** What happens to the bytes of one direction of a connection. */
export interface Fault {
  /** `up` are the bytes of requests. */
  readonly direction: 'up' | 'down'
  /** After so many bytes of the connection. */
  readonly after: number
  readonly kind: 'cut' | 'stall' | 'flip'
}

export interface FaultProxy {
  readonly url: string
  /** The next new connections meet these faults, one each. */
  next(...faults: readonly Fault[]): void
  /** Every new connection meets it until the next call. */
  always(fault: Fault | undefined): void
  /** Ends all connections, so that the next request opens a new one. */
  drop(): void
  stop(): Promise<void>
}

export async function faultProxy(port: number): Promise<FaultProxy> {
  const planned: Fault[] = []
  const sockets = new Set<Socket>()
  let constant: Fault | undefined
  const server: Server = createServer((client) => {
    const fault = planned.shift() ?? constant
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    passOn(client, upstream, fault?.direction === 'up' ? fault : undefined)
    passOn(upstream, client, fault?.direction === 'down' ? fault : undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as { readonly port: number }
  const drop = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${address.port}`,
    next: (...faults) => void planned.push(...faults),
    always: (fault) => {
      constant = fault
    },
    drop,
    async stop() {
      drop()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function passOn(from: Socket, to: Socket, fault: Fault | undefined): void {
  let passed = 0
  from.on('data', (chunk: Buffer) => {
    const at = fault === undefined ? chunk.length : fault.after - passed
    passed += chunk.length
    if (fault === undefined || at < 0 || at >= chunk.length) return void (isOver(fault, at) || to.write(chunk))
    if (fault.kind === 'flip') {
      chunk[at] = (chunk[at] ?? 0) ^ 1
      return void to.write(chunk)
    }
    to.write(chunk.subarray(0, at), () => fault.kind === 'cut' && from.destroy())
  })
}

/** Nothing passes after a cut or a stall. */
const isOver = (fault: Fault | undefined, at: number): boolean => fault !== undefined && fault.kind !== 'flip' && at < 0
