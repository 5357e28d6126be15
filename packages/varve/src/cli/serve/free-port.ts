/** Finds the port of a server before anything is made for it. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { listen } from '@varve/http'
import { withPortHint } from '../support/port-hint.ts'

interface Wanted {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Take the next free port if this one is taken. */
  readonly nextPort?: boolean
}

/** How many ports are tried. */
const triesMax = 100
const portMax = 65_535

const taken = { hint: 'Use `--next-port` to take the next free port, or another port with `--port`.' }

/** @throws what listening throws: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL` */
export async function freePort({ host, port, nextPort = false }: Wanted): Promise<number> {
  const last = nextPort && port > 0 ? Math.min(port + triesMax - 1, portMax) : port
  for (let tried = port; ; tried++) {
    try {
      await assertFree(host, tried)
      return tried
    } catch (error) {
      if (tried >= last || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE')
        throw nextPort ? withPortHint(error) : withPortHint(error, taken)
    }
  }
}

async function assertFree(host: string, port: number): Promise<void> {
  const server = createServer((connection) => connection.destroy())
  await listen(server, host, port)
  server.close()
  await once(server, 'close')
}
