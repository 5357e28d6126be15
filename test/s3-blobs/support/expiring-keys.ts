/** A server before the server of the tests that calls access keys expired, when a test says so. */
import { createServer, request } from 'node:http'

export interface ExpiringKeys {
  readonly url: string
  /** The access keys that are expired. */
  readonly expired: Set<string>
  /** How many requests were refused. */
  readonly refused: number
  stop(): Promise<void>
}

const refusal = '<?xml version="1.0"?><Error><Code>ExpiredToken</Code><Message>It has expired.</Message></Error>'

export async function expiringKeys(port: number): Promise<ExpiringKeys> {
  const expired = new Set<string>()
  let refused = 0
  const server = createServer((incoming, answer) => {
    const [, key = ''] = /Credential=([^/]*)\//.exec(incoming.headers.authorization ?? '') ?? []
    if (expired.has(key)) {
      refused++
      incoming.resume()
      answer.writeHead(400, { 'content-type': 'application/xml', connection: 'close' }).end(refusal)
      return
    }
    // The signature covers the headers as they are.
    const { method, url, rawHeaders } = incoming
    const sent = request({ host: '127.0.0.1', port, method, path: url, headers: rawHeaders }, (given) => {
      answer.writeHead(given.statusCode ?? 500, given.rawHeaders)
      given.pipe(answer)
    })
    sent.on('error', () => answer.destroy())
    incoming.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as { readonly port: number }
  return {
    url: `http://127.0.0.1:${address.port}`,
    expired,
    get refused() {
      return refused
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
