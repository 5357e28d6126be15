/** The protocol of an Electron example, over HTTP: for a browser. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Handler } from './fake-electron.ts'

/** Answers the requests of a browser as the protocol would. The result is the origin of the page. */
export async function overHttp(handler: Handler, seen: (request: Request, response: Response) => void) {
  const server: Server = createServer((message, answer) => {
    void (async () => {
      const request = requestOf(message)
      const response = await handler(request)
      seen(request, response)
      answer.writeHead(response.status, Object.fromEntries(response.headers))
      if (response.body === null) return void answer.end()
      const body = Readable.fromWeb(response.body as ReadableStream)
      answer.once('close', () => body.destroy())
      body.on('error', () => answer.destroy()).pipe(answer)
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function requestOf(message: IncomingMessage): Request {
  const { method = 'GET', url = '/', headers } = message
  const body = method === 'PUT' ? Readable.toWeb(message) : undefined
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Request(`varve://app${url}`, {
    method,
    headers: given,
    ...(body && { body, duplex: 'half' }),
  } as RequestInit)
}
