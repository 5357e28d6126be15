/**
 * A server in a process of its own, so that its figures are its own: `node server-process.js DIRECTORY OPTIONS`. It
 * answers each input line with a line of JSON: how much memory, how many sockets and blobs it holds. If the line is
 * `swept`, it collects garbage first. It ends with its input.
 */
import { readdirSync, readlinkSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { openStore } from 'varve'
import { createIdentity, serve, type ServeOptions } from 'varve/http'
import { credentialsOf } from '../../acceptance/support/test-server.ts'

/** What can be known of a process only from within. */
export interface Usage {
  readonly rss: number
  /** How long it was not waiting for events so far, in milliseconds: where others have the processor, this goes on. */
  readonly busyMs: number
  /** Reads and writes of files under way. */
  readonly fileRequests: number
  readonly sockets: number
  /** Blobs and temporary files that are open, where the system lists them. */
  readonly openFiles: number
}

const [directory = '', options = '{}'] = process.argv.slice(2)
const store = await openStore(directory)
const root = createIdentity({ name: 'root', root: true, ...credentialsOf('root') })
const server = await serve({ ...(JSON.parse(options) as Partial<ServeOptions>), store, identities: [root], port: 0 })
console.log(JSON.stringify({ port: server.port }))

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'swept') globalThis.gc?.()
  console.log(JSON.stringify(usage()))
}
await server.close({ graceMs: 100 })
await store.close()

function usage(): Usage {
  const resources = process.getActiveResourcesInfo()
  return {
    busyMs: performance.eventLoopUtilization().active,
    fileRequests: resources.filter((name) => name.startsWith('FSReq')).length,
    rss: process.memoryUsage.rss(),
    sockets: resources.filter((name) => name === 'TCPSocketWrap').length,
    openFiles: openFiles(),
  }
}

function openFiles(): number {
  try {
    const links = readdirSync('/proc/self/fd').map(linkOf)
    return links.filter((path) => /\/(blobs|tmp)\/[^/]*\/?[0-9a-f]{32}/.test(path) && path.startsWith(directory)).length
  } catch {
    return 0
  }
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}
