/** The client of the bench, before servers that hang up. */
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { openConnection } from './connection.ts'

const servers: { close(): unknown }[] = []
afterEach(() => servers.splice(0).map((server) => server.close()))

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port

async function httpServer(): Promise<{ port: number; requests: string[]; server: Server }> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.end('answer')
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: portOf(server), requests, server }
}

const get = 'GET /a HTTP/1.1\r\nHost: bench\r\n\r\n'

describe('a connection', () => {
  it('is opened again when the server closes it before it answers', async () => {
    const { port, requests, server } = await httpServer()
    const connection = await openConnection('127.0.0.1', port)
    for (let n = 0; n < 3; n++) {
      expect((await connection.request(get)).body.toString()).toBe('answer')
      // The client does not know of it when it sends the next request.
      server.closeIdleConnections()
    }
    expect(requests).toHaveLength(3)
    connection.close()
  })

  it('does not send again what could do its work twice', async () => {
    const { port, requests, server } = await httpServer()
    const connection = await openConnection('127.0.0.1', port)
    const post = get.replace('GET', 'POST')
    await connection.request(post)
    server.closeIdleConnections()
    await expect(connection.request(post)).rejects.toThrow('hung up')
    expect((await connection.request(post)).status).toBe(200)
    expect(requests).toHaveLength(2)
  })

  it('ends a request that takes too long', async () => {
    let connections = 0
    const server = createTcpServer((socket) => {
      connections++
      socket.once('data', () => socket.destroy())
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const connection = await openConnection('127.0.0.1', portOf(server))
    await expect(connection.request(get)).rejects.toThrow('hung up')
    expect(connections).toBe(1)
  })
})
