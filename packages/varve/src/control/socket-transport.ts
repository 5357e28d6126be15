/** Requests over the socket in a store's directory. */
import { Agent, request } from 'node:http'
import { StorageError } from '@varve/core'
import { agentOptions, type ControlTransport, headersOf } from './control-transport.ts'
import { identityHeader } from './socket-files.ts'

/** @param identity Of the directory: every answer must name it. */
export function socketTransport(socketPath: string, identity: string): ControlTransport {
  const agent = new Agent(agentOptions)
  return {
    begin(head) {
      const { method, path, query, signal } = head
      const target = query === '' ? path : `${path}?${query}`
      const headers = { host: 'varve', ...headersOf(head) }
      return request({ socketPath, method, path: target, headers, agent, ...(signal && { signal }) })
    },
    check(answer) {
      if (answer.headers[identityHeader] === identity) return
      answer.destroy()
      throw closed()
    },
    unreachable: closed,
    close: () => agent.destroy(),
  }
}

const closed = (cause?: unknown): StorageError =>
  new StorageError('StoreClosed', 'No process that has the store open listens for others.', { cause })
