/** The front ends a history can go through, and some that lie, which a checker must notice. */
import { Agent } from 'node:http'
import { isStorageError, type Store } from '@varve/core'
import type { ModelCommand } from '@varve/core/model'
import { createIdentity, serve } from 'varve/http'
import { type Answer, call } from '../acceptance/support/call.ts'
import type { TestServer } from '../acceptance/support/test-server.ts'
import type { XmlElement } from '../acceptance/support/xml.ts'
import { Bindings } from './bindings.ts'
import { type Api, etagOf, partedEtagOf, type Refused, type Shown } from './history.ts'
import { type Ask, type AskOptions, askCommand, pathOf, unquoted } from './http-command.ts'
import { runCommand } from './run-command.ts'

export interface TestService {
  readonly api: Api
  close(): Promise<void>
}

/** ETags are known before they are answered: an answer may be lost. */
function bindingsFor(command: ModelCommand, bindings: Bindings): Bindings {
  if (command.type === 'putObject') bindings.bindEtag(command.name, etagOf(command.name))
  if (command.type === 'completeUpload') bindings.bindEtag(command.name, partedEtagOf(command.name))
  return bindings
}

/** @param bindings Shared by services of one store. */
export async function libraryService(store: Store, bindings = new Bindings()): Promise<TestService> {
  const { objects, versions } = store
  return {
    api: {
      run: (command) => runCommand(store, command, bindingsFor(command, bindings)),
      get: (bucket, key) => refusable(async () => ({ body: await (await objects.get(bucket, key)).text() })),
      head: (bucket, key) => refusable(async () => ({ etag: (await objects.head(bucket, key)).etag })),
      copy: (bucket, key, to) =>
        refusable(async () => ({ etag: (await objects.copy({ bucket, key }, bucket, to)).etag })),
      list: (bucket, page) =>
        refusable(async () => {
          const { entries } = await objects.listPage(bucket, page)
          return { shown: entries.flatMap((entry) => (entry.kind === 'prefix' ? [] : [[entry.key, entry.etag]])) }
        }),
      versions: (bucket, prefix) =>
        refusable(async () => {
          const { entries } = await versions.listPage(bucket, { prefix, limit: 1000 })
          return {
            shown: entries.flatMap((entry): readonly Shown[] => {
              if (entry.kind === 'prefix') return []
              return [[entry.key, entry.versionId, entry.kind === 'version' ? entry.etag : 'marker']]
            }),
          }
        }),
    },
    close: async () => undefined,
  }
}

async function refusable<T>(call: () => Promise<T>): Promise<T | Refused> {
  try {
    return await call()
  } catch (error) {
    if (isStorageError(error)) return { error: error.code }
    throw error
  }
}

interface ConnectionOptions {
  /** That requests are signed for. @default `eu` */
  readonly region?: string
  /** Without it, each request has a connection of its own, which no server ends because it was idle. @default true */
  readonly keepAlive?: boolean
}

const credentials = { accessKeyId: 'AK-root', secretAccessKey: 'the-secret-of-root' }

/** A server on 127.0.0.1, and a client that keeps its connections. */
export async function httpService(
  store: Store,
  bindings = new Bindings(),
  connections: ConnectionOptions = {},
): Promise<TestService> {
  const identities = [createIdentity({ name: 'root', ...credentials, root: true })]
  const server = await serve({ store, identities, port: 0 })
  const address = { port: server.port, host: `127.0.0.1:${server.port}`, credentials: () => credentials }
  const service = serviceAt({ ...address, dir: '', stop: server.close }, bindings, connections)
  return {
    ...service,
    async close() {
      await service.close()
      await server.close({ graceMs: 500 })
    },
  }
}

/** Of a server that is there already, and stays. */
export function serviceAt(
  server: TestServer,
  bindings = new Bindings(),
  { region = 'eu', keepAlive = true }: ConnectionOptions = {},
): TestService {
  const agent = new Agent({ keepAlive })
  const ask: Ask = (line, options) => call(server, line, { agent, region, ...options })
  const answered = async <T>(
    line: string,
    shows: (answer: Answer) => T,
    options?: AskOptions,
  ): Promise<T | Refused> => {
    const answer = await ask(line, options)
    const error = answer.code()
    return error === undefined ? shows(answer) : { error }
  }
  return {
    api: {
      run: (command) => askCommand(ask, command, bindingsFor(command, bindings)),
      get: (bucket, key) => answered(`GET ${pathOf(bucket, key)}`, ({ text }) => ({ body: text })),
      async head(bucket, key) {
        const { status, headers } = await ask(`HEAD ${pathOf(bucket, key)}`)
        if (status === 200) return { etag: unquoted(headers['etag']) }
        return { error: codesOfStatus[status] ?? `status ${status}` }
      },
      copy: (bucket, from, to) =>
        answered(`PUT ${pathOf(bucket, to)}`, ({ xml }) => ({ etag: unquoted(xml().get('ETag')) }), {
          headers: { 'x-amz-copy-source': pathOf(bucket, from) },
        }),
      list: (bucket, { after, limit }) =>
        answered(
          `GET /${bucket}?list-type=2&max-keys=${limit}&start-after=${encodeURIComponent(after)}`,
          ({ xml }) => ({
            shown: xml()
              .all('Contents')
              .map((entry): Shown => [entry.get('Key') ?? '', unquoted(entry.get('ETag'))]),
          }),
        ),
      versions: (bucket, prefix) =>
        answered(`GET /${bucket}?versions&prefix=${encodeURIComponent(prefix)}`, ({ xml }) => ({
          shown: versionsIn(xml()),
        })),
    },
    async close() {
      agent.destroy()
    },
  }
}

/** The answer to HEAD has no document. */
const codesOfStatus: Readonly<Record<number, string>> = { 404: 'NoSuchKey', 500: 'InternalError', 503: 'SlowDown' }

/** Versions and delete markers, in their order. */
function versionsIn(root: XmlElement): readonly Shown[] {
  return root.children
    .filter(({ name }) => name === 'Version' || name === 'DeleteMarker')
    .map((entry) => [
      entry.get('Key') ?? '',
      entry.get('VersionId') ?? '',
      entry.name === 'Version' ? unquoted(entry.get('ETag')) : 'marker',
    ])
}

/** Answers some reads from what it read of the key before. */
export function staleReads(api: Api): Api {
  const kept = new Map<string, Awaited<ReturnType<Api['get']>>>()
  let reads = 0
  return {
    ...api,
    async get(bucket, key) {
      const old = kept.get(key)
      if (old !== undefined && ++reads % 50 === 0) return old
      const got = await api.get(bucket, key)
      kept.set(key, got)
      return got
    },
  }
}

/** Looks whether the condition holds, and then writes without it. */
export function lostUpdates(api: Api): Api {
  return {
    ...api,
    async run(command) {
      if (command.type !== 'putObject' || command.ifMatch === undefined) return api.run(command)
      const { ifMatch, ...unconditional } = command
      const got = await api.get(command.bucket, command.key)
      if (!('body' in got)) return { error: 'NoSuchKey' }
      return got.body.startsWith(`${ifMatch} `) ? api.run(unconditional) : { error: 'PreconditionFailed' }
    },
  }
}

/** Puts a listing together from two pages. */
export function tornListings(api: Api): Api {
  return {
    ...api,
    async list(bucket, page) {
      const first = await api.list(bucket, { ...page, limit: 2 })
      const last = 'shown' in first ? first.shown.at(-1) : undefined
      if (last === undefined || !('shown' in first)) return first
      const rest = await api.list(bucket, { ...page, after: last[0] })
      return 'shown' in rest ? { shown: [...first.shown, ...rest.shown] } : rest
    },
  }
}
