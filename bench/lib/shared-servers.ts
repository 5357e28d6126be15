/** The servers that nodes share, as scripts start them: a PostgreSQL server, and a server for blobs. */
export interface SharedServers {
  /** The addresses and the keys. */
  readonly env: Readonly<Record<string, string>>
  stop(): Promise<void>
}

export const { startSharedServers } = (await import(
  new URL('../../../scripts/cluster/shared-servers.mjs', import.meta.url).href
)) as { startSharedServers(): Promise<SharedServers> }
