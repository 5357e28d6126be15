/** Requests over the socket in a store's directory. */
import { Agent, request } from 'node:http'
import { relative } from 'node:path'
import { StorageError } from '@varve/core'
import { agentOptions, type ControlTransport, headersOf } from './control-transport.ts'
import { findSocket, identityHeader, identityOf } from './socket-files.ts'

/**
 * The transport to the process that has the store in `dir` open, and to the one that has it open later.
 * @param maxSockets How many requests are in progress at once.
 */
export async function socketTransport(dir: string, maxSockets = agentOptions.maxSockets): Promise<ControlTransport> {
  // Every answer must name the directory.
  const identity = await identityOf(dir)
  let address = await findSocket(dir)
  const agent = new Agent({ ...agentOptions, maxSockets })
  return {
    writesCalls: true,
    begin(head) {
      if (address === undefined) throw Object.assign(new Error('No process listens.'), { syscall: 'connect' })
      const { method, path, query } = head
      const target = query === '' ? path : `${path}?${query}`
      const headers = { host: 'varve', ...headersOf(head) }
      return request({ socketPath: shortest(address), agent, method, path: target, headers })
    },
    check(answer) {
      if (answer.headers[identityHeader] === identity) return
      answer.destroy()
      throw closed()
    },
    async renew() {
      const known = address
      address = await findSocket(dir).catch(() => undefined)
      return address !== undefined && address !== known
    },
    unreachable: closed,
    close: () => agent.destroy(),
  }
}

/** A socket can be in reach by a relative path where its absolute path is too long for the system. */
function shortest(address: string): string {
  if (process.platform === 'win32') return address
  const near = relative('', address)
  return near.length < address.length ? near : address
}

const closed = (cause?: unknown): StorageError =>
  new StorageError('StoreClosed', 'No process that has the store open listens for others.', { cause })
