/** PostgreSQL and an S3 server of this tree, with the variables by which tests find them. */
interface SharedServers {
  readonly env: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/** The same place from the sources and from what is built of them. */
const folder = import.meta.url.includes('/test/dist/') ? '../../../scripts/cluster' : '../../scripts/cluster'

export async function startSharedServers(): Promise<SharedServers> {
  const module: unknown = await import(new URL(`${folder}/shared-servers.mjs`, import.meta.url).href)
  return (module as { startSharedServers(): Promise<SharedServers> }).startSharedServers()
}
