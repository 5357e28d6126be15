/** The front ends a history can go through, and some that lie, which a checker must notice. */
import { Agent } from 'node:http'
import { isStorageError, type Store } from '@varve/core'
import type { ModelCommand } from '@varve/core/model'
import { createIdentity, serve } from 'varve/http'
import { call } from '../acceptance/support/call.ts'
import type { TestServer } from '../acceptance/support/server.ts'
import { Bindings } from './bindings.ts'
import { type Api, etagOf } from './history.ts'
import { type Ask, askCommand, pathOf, unquoted } from './http-command.ts'
import { runCommand } from './run-command.ts'

export interface TestService {
  readonly api: Api
  close(): Promise<void>
}

/** ETags are known before they are answered: an answer may be lost. */
function bindingsFor(command: ModelCommand, bindings: Bindings): Bindings {
  if (command.type === 'putObject') bindings.bindEtag(command.name, etagOf(command.name))
  return bindings
}

/** @param bindings Shared by services of one store. */
export async function libraryService(store: Store, bindings = new Bindings()): Promise<TestService> {
  return {
    api: {
      run: (command) => runCommand(store, command, bindingsFor(command, bindings)),
      async get(bucket, key) {
        try {
          return { body: await (await store.objects.get(bucket, key)).text() }
        } catch (error) {
          if (isStorageError(error)) return { error: error.code }
          throw error
        }
      },
      async list(bucket, page) {
        try {
          const { entries } = await store.objects.listPage(bucket, page)
          return { shown: entries.flatMap((entry) => (entry.kind === 'prefix' ? [] : [[entry.key, entry.etag]])) }
        } catch (error) {
          if (isStorageError(error)) return { error: error.code }
          throw error
        }
      },
    },
    close: async () => undefined,
  }
}

const credentials = { accessKeyId: 'AK-root', secretAccessKey: 'the-secret-of-root' }

/** A server on 127.0.0.1, and a client that keeps its connections. */
export async function httpService(store: Store): Promise<TestService> {
  const identities = [createIdentity({ name: 'root', ...credentials, root: true })]
  const server = await serve({ store, identities, port: 0 })
  const address = { port: server.port, host: `127.0.0.1:${server.port}`, credentials: () => credentials }
  const service = serviceAt({ ...address, dir: '', stop: server.close })
  return {
    ...service,
    async close() {
      await service.close()
      await server.close({ graceMs: 500 })
    },
  }
}

/** Of a server that is there already, and stays. */
export function serviceAt(server: TestServer): TestService {
  const agent = new Agent({ keepAlive: true })
  const ask: Ask = (line, options) => call(server, line, { agent, ...options })
  const bindings = new Bindings()
  return {
    api: {
      run: (command) => askCommand(ask, command, bindingsFor(command, bindings)),
      async get(bucket, key) {
        const answer = await ask(`GET ${pathOf(bucket, key)}`)
        const error = answer.code()
        return error === undefined ? { body: answer.text } : { error }
      },
      async list(bucket, { after, limit }) {
        const line = `GET /${bucket}?list-type=2&max-keys=${limit}&start-after=${encodeURIComponent(after)}`
        const answer = await ask(line)
        const error = answer.code()
        if (error !== undefined) return { error }
        const contents = answer.xml().all('Contents')
        return { shown: contents.map((entry) => [entry.get('Key') ?? '', unquoted(entry.get('ETag'))]) }
      },
    },
    async close() {
      agent.destroy()
    },
  }
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
