/** A server with the story of `varve demo`, for the pages of the console. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from 'varve'
import { createIdentity, type Identity, type RunningServer, serve, type ServeOptions } from 'varve/http'
import { createMetrics } from '#varve/metrics'
import type { DemoStory } from '#varve/cli/demo/demo-story'
import { makeDemo } from '#varve/cli/demo/make-demo'

export interface DemoServer extends Pick<RunningServer, 'url' | 'replaceIdentities'> {
  readonly store: Store
  readonly story: DemoStory
  readonly root: Identity
  /** The page of the console. */
  readonly page: string
  close(): Promise<void>
}

export interface DemoOptions extends Partial<ServeOptions> {
  /** The server has metrics. @default false */
  readonly isMeasured?: boolean
}

/** @param options More options of `serve`, such as the directory of other files, or more identities. */
export async function demoServer(given: DemoOptions = {}): Promise<DemoServer> {
  const { identities = [], isMeasured = false, ...options } = given
  const dir = await mkdtemp(join(tmpdir(), 'varve-console-'))
  const story = await makeDemo(dir, new AbortController().signal)
  const store = await openStore(dir)
  const root = createIdentity({
    name: 'root',
    accessKeyId: 'VARVEDEMOROOT',
    secretAccessKey: 'a-secret-for-demos',
    root: true,
  })
  const server = await serve({
    store,
    controlStore: () => store,
    identities: [root, ...identities],
    port: 0,
    console: true,
    ...(isMeasured && measuring(store)),
    ...options,
  })
  return {
    url: server.url,
    replaceIdentities: (...given) => server.replaceIdentities(...given),
    store,
    story,
    root,
    page: `${server.url}/-/console/`,
    async close() {
      await server.close({ graceMs: 0 })
      await store.close()
      await rm(dir, { recursive: true })
    },
  }
}

function measuring(store: Store): Pick<ServeOptions, 'metrics' | 'observer'> {
  const metrics = createMetrics({ store: () => store, process: false })
  return { metrics, observer: metrics.observer }
}
