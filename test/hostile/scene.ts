/** A server with something to lose, and what must be true of it after every request, whatever that was. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'vitest'
import type { Store } from 'varve'
import { type Answer, call } from '../acceptance/support/call.ts'
import { type TestService, openTestService } from '../acceptance/support/test-service.ts'
import type { ServerOptions, TestServer } from '../acceptance/support/server.ts'

export interface Scene {
  readonly service: TestService
  readonly server: TestServer
  /** The store behind the server, for direct access. */
  readonly store: Store
  /** Everything the server logged, causes of errors included. */
  readonly log: readonly string[]
  /** Puts this scene's ids into a line: `UPLOAD` becomes `uploadId=…`. */
  readonly filled: (line: string) => string
  /** Takes note of the state that a refused request must leave as it is. */
  mark(): void
  /** The server answers others, and nothing happened that should not. `committed`: the store may have moved on. */
  expectUnharmed(committed: boolean): Promise<void>
  /** At the end: the store is sound, and nowhere in it, nor in what was logged, is a secret or a name that came with a request. */
  expectNothingLeft(): Promise<void>
  stop(): Promise<void>
}

/** What may never be seen again: it is part of every secret key of the test identities. */
export const secret = 'the-secret-of'
/** If an answer shows this text, the client has read another identity's object. */
const hidden = 'hidden words'

/** Bucket `hostile` with `object`, `secret` and `ten` (digits), an upload of one part; bucket `anns`, of someone else. */
export async function openScene(options: ServerOptions = {}): Promise<Scene> {
  const log: string[] = []
  let kept: Store | undefined
  const service = await openTestService({
    ...options,
    serve: {
      ...options.serve,
      log: (entry) => void log.push(inspect(entry, { depth: 10 }), JSON.stringify(entry)),
    },
    wrap: (store) => (kept = store),
  })
  const { server } = service
  const store = kept as Store | undefined
  if (store === undefined) throw new Error('The server has no store.')
  await service.ask('PUT /hostile')
  await service.ask('PUT /anns', { as: 'ann' })
  await service.put('/hostile/object', 'open')
  await service.put('/hostile/secret', hidden)
  await service.put('/hostile/ten', '0123456789')
  const { uploadId } = await service.upload('/hostile/up', { 1: 'one' })
  const namesAtFirst = await namesIn(server.dir)
  const namesBelowAtFirst = await namesIn(server.dir, true)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let marked = store.seq
  /** What clients made happen since then. What was overwritten before, the store erases in its own time. */
  const requested = async (since: number): Promise<readonly string[]> => {
    const types: string[] = []
    for await (const { type } of store.log({ from: since + 1 })) types.push(type)
    return types.filter((type) => type !== 'ContentsErased')
  }
  return {
    service,
    server,
    store,
    log,
    filled: (line) => line.replace('UPLOAD', `uploadId=${uploadId}`),
    mark: () => void (marked = store.seq),
    async expectUnharmed(committed) {
      const answer = await call(server, 'GET /hostile/object', { agent })
      expect([answer.status, answer.text]).toEqual([200, 'open'])
      if (!committed) expect(await requested(marked)).toEqual([])
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
      expect(await namesIn(server.dir)).toEqual(namesAtFirst)
    },
    async expectNothingLeft() {
      expect(await namesIn(server.dir, true)).toEqual(namesBelowAtFirst)
      expect((await store.verify()).divergences).toEqual([])
      expect(log.length).toBeGreaterThan(0)
      expect(log.filter((line) => line.includes(secret))).toEqual([])
      expect(await filesHolding(server.dir, secret)).toEqual([])
    },
    async stop() {
      agent.destroy()
      await service.stop()
    },
  }
}

/** Checks that hold for every answer to a hostile request. */
export function expectDiscreet(answer: Answer, { server }: Scene): void {
  expect(answer.status === 501 || answer.status < 500, answer.text).toBe(true)
  const output = `${JSON.stringify(answer.headers)}${answer.text}`
  for (const leak of [secret, server.dir, 'node_modules', '.ts:', '.js:']) expect(output).not.toContain(leak)
  expect(output).not.toMatch(/\bat [A-Za-z.]+ \(/)
  if (answer.status < 400 || answer.body.length === 0) return
  const error = answer.xml()
  expect([error.name, error.get('RequestId')]).toEqual(['Error', answer.headers['x-request-id']])
  expect(error.get('Message')).toMatch(/\S/)
  expect(answer.text).not.toContain(hidden)
}

/** What a store's directory holds, but for LevelDB's numbered files and blobs, whose names are random. */
async function namesIn(dir: string, recursive = false): Promise<readonly string[]> {
  const all = await readdir(dir, { recursive })
  const random = /(^|\/)(\d{6}\.(log|ldb|dbtmp)|MANIFEST-\d{6}|[0-9a-f]{32}|LOG\.old)$|^tmp\/|\.tmp$/
  return all.filter((name) => !random.test(name)).sort()
}

/** Names of files below a directory that hold a text. */
export async function filesHolding(dir: string, text: string): Promise<readonly string[]> {
  const found: string[] = []
  let read = 0
  for (const name of await readdir(dir, { recursive: true })) {
    const path = join(dir, name)
    // What was listed may have got its lasting name since.
    if ((await stat(path).catch(() => undefined))?.isFile() !== true) continue
    const content = await readFile(path).catch(() => undefined)
    if (content === undefined) continue
    read += 1
    if (content.includes(text)) found.push(name)
  }
  expect(read).toBeGreaterThan(3)
  return found
}
