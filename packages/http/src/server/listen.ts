import type { AddressInfo, Server } from 'node:net'

/** Resolves with the port when the server accepts connections. @throws what listening throws (`EADDRINUSE`) */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve(void server.off('error', reject)))
  })
  return (server.address() as AddressInfo).port
}
