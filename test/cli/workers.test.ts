/** `varve serve --workers`: how several processes are one server. What they answer is tested in `test/acceptance/workers`. */
import { readFileSync } from 'node:fs'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { createServer, connect } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openStore, restoreStore } from 'varve'
import { signRequest } from 'varve/http'
import { expectKept } from './expect-kept.ts'
import { endServersAfterEach, jsonLines, scratchPaths, serve, type Server, varve } from './run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

const root = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
const variables = { VARVE_ACCESS_KEY_ID: root.accessKeyId, VARVE_SECRET_ACCESS_KEY: root.secretAccessKey }
const two = ['--workers', '2', '--json']

/** A signed request on a connection of its own, unless an agent keeps one; its body is still to be sent. */
function ask(
  { url }: Pick<Server, 'url'>,
  method: string,
  path: string,
  { length = 0, agent = false }: { readonly length?: number; readonly agent?: Agent | false } = {},
): ClientRequest {
  const headers = [
    ['host', new URL(url).host],
    ['content-length', String(length)],
  ] as const
  const options = { ...root, region: 'eu', now: Date.now(), payloadHash: 'UNSIGNED-PAYLOAD' }
  const signed = signRequest({ method, rawPath: path, headers }, options)
  return request(url, { method, path, headers: Object.fromEntries(signed.headers), agent })
}

async function statusOf(requested: ClientRequest): Promise<number> {
  const [response] = (await once(requested, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response.statusCode ?? 0
}

async function read(requested: ClientRequest): Promise<string> {
  const answered = once(requested, 'response')
  requested.end()
  const [response] = (await answered) as [IncomingMessage]
  return textOf(response)
}

async function send(server: Server, method: string, path: string, body = ''): Promise<number> {
  const requested = ask(server, method, path, { length: body.length })
  requested.end(body)
  return statusOf(requested)
}

/** The processes a server has started. */
function workersOf({ process: { pid } }: Server): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return children === '' ? [] : children.split(' ').map(Number)
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const blobsIn = async (dir: string): Promise<string[]> =>
  (await readdir(join(dir, 'blobs'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** Child processes can be listed only where the system has /proc. */
const onLinux = it.skipIf(process.platform !== 'linux')

const health = async ({ url }: Server): Promise<string> => {
  const answer = await fetch(`${url}/-/health`, { headers: { connection: 'close' } })
  return `${answer.status} ${await answer.text()}`
}

describe('several workers', () => {
  it('report their number, and answer, log and end as one', async () => {
    const dir = next()
    const server = await serve([dir, ...two, '--log-requests'], variables)
    expect(jsonLines(server.stdout())).toMatchObject([{ kind: 'ready', workers: 2, pid: server.process.pid }])
    expect(await send(server, 'PUT', '/photos')).toBe(200)
    for (let i = 0; i < 6; i++) expect(await send(server, 'PUT', `/photos/${i}`, 'x'.repeat(20_000 * i))).toBe(200)
    for (let i = 0; i < 6; i++) expect(await send(server, 'GET', `/photos/${i}`)).toBe(200)
    expect(await send(server, 'GET', '/photos/none')).toBe(404)
    expect(await health(server)).toBe('200 {"state":"open"}')
    const headers = { accept: 'text/html', connection: 'close' }
    const visit = await fetch(server.url, { headers, redirect: 'manual' })
    expect(visit.headers.get('location')).toBe('./-/console/')
    const { status, stdout } = await server.stop()
    expect(status).toBe(0)
    const lines = jsonLines(stdout)
    const requests = lines.filter(({ kind }) => kind === 'request')
    expect(requests).toHaveLength(16)
    expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(16)
    // Lines of different workers may come in another order than their requests.
    const refused = requests.filter(({ status: answered }) => answered === 404)
    expect(refused).toMatchObject([{ operation: 'GetObject', identity: expect.any(String) as string }])
    expect(JSON.stringify(lines)).not.toContain(root.secretAccessKey)
    const store = await openStore(dir, { create: false })
    expect(await store.verify()).toMatchObject({ ok: true, events: 10 })
    await store.close()
  })

  it('acknowledge what a replica has, and heal from it what they read', async () => {
    const [dir, replica, again] = [next(), next(), next()]
    const server = await serve([dir, ...two, '--replicate', replica, '--replicate-sync', 'refuse'], variables)
    const body = 'bytes'.repeat(20_000)
    expect(await send(server, 'PUT', '/photos')).toBe(200)
    expect(await send(server, 'PUT', '/photos/a', body)).toBe(200)
    expect((await restoreStore(replica, again)).head).toBeGreaterThan(2)
    const [blob] = await blobsIn(dir)
    await writeFile(blob ?? '', 'damaged'.padEnd(body.length))
    for (let i = 0; i < 4; i++) expect(await read(ask(server, 'GET', '/photos/a'))).toBe(body)
    expect((await server.stop()).status).toBe(0)
    for (const [path, healed] of [
      [dir, 1],
      [again, 0],
    ] as const) {
      const store = await openStore(path, { create: false })
      expect(await store.verify()).toMatchObject({ ok: true })
      expect(await (await store.objects.get('photos', 'a')).text()).toBe(body)
      let count = 0
      for await (const _ of store.log({ types: ['BytesHealed'] })) count++
      expect(count).toBe(healed)
      await store.close()
    }
  })

  onLinux('share the connections', async () => {
    const server = await serve([next(), ...two], variables)
    const sockets = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
        await once(socket, 'connect')
        socket.write('GET /-/health HTTP/1.1\r\nhost: h\r\n\r\n')
        await once(socket, 'data')
        return socket
      }),
    )
    expect(workersOf(server)).toHaveLength(2)
    const counts = await Promise.all(workersOf(server).map(async (pid) => (await readdir(`/proc/${pid}/fd`)).length))
    expect(Math.abs((counts[0] ?? 0) - (counts[1] ?? 0))).toBeLessThan(5)
    for (const socket of sockets) socket.destroy()
  })

  it('are not for blobs that have one writer', async () => {
    const dir = next()
    const refused = { status: 1, stderr: expect.stringContaining('(InvalidArgument)') as string }
    expect(await varve(['serve', dir, '--workers', '2', '--layout', 'level+tiered'], variables)).toMatchObject(refused)
    await expect(readdir(dir)).rejects.toMatchObject({ code: 'ENOENT' })
    await (await openStore(dir, { layout: 'segments+segments' })).close()
    expect(await varve(['serve', dir, '--workers', '2'], variables)).toMatchObject(refused)
    const alone = await serve([dir, '--workers', '1'], variables)
    expect(await send(alone, 'PUT', '/photos')).toBe(200)
    expect(alone.stdout()).not.toContain('worker')
  })

  it('are a number from 0 to 64', async () => {
    for (const count of ['65', '-1', 'two', '1.5']) {
      expect(await varve(['serve', next(), `--workers=${count}`])).toMatchObject({ status: 2 })
    }
  })

  it('do not start on a port that is taken, and no store is made', async () => {
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    const { port } = blocker.address() as { port: number }
    const dir = next()
    const { status, stderr } = await varve(['serve', dir, '--workers', '2', '--port', String(port)], variables)
    blocker.close()
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('(EADDRINUSE)') as string })
    await expect(stat(dir)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('a worker that is killed', () => {
  onLinux('is replaced, and no request is refused meanwhile', async () => {
    const server = await serve([next(), ...two], variables)
    await send(server, 'PUT', '/photos')
    const before = workersOf(server)
    for (const pid of before) process.kill(pid, 'SIGKILL')
    // No worker takes the connection yet, so it waits.
    expect(await send(server, 'PUT', '/photos/a', 'hello')).toBe(200)
    await server.line((line) => line.includes('"worker-ended"'))
    await expect.poll(() => workersOf(server).length, { timeout: 20_000 }).toBe(2)
    expect(workersOf(server).some((pid) => before.includes(pid))).toBe(false)
    const lost = jsonLines(server.stdout()).filter(({ kind }) => kind === 'worker-ended')
    expect(lost).toHaveLength(2)
    expect(lost[0]).toMatchObject({ signal: 'SIGKILL', worker: expect.any(Number) as number })
    expect(await server.stop()).toMatchObject({ status: 0 })
  })

  onLinux('takes nothing with it but what was under way, and leaves nothing behind', async () => {
    const dir = next()
    const server = await serve([dir, ...two], variables)
    await send(server, 'PUT', '/photos')
    const upload = ask(server, 'PUT', '/photos/large', { length: 1_000_000 })
    const broken = once(upload, 'error')
    upload.write('x'.repeat(300_000))
    await expect.poll(() => readdir(join(dir, 'tmp')), { timeout: 20_000 }).toHaveLength(1)
    for (const pid of workersOf(server)) process.kill(pid, 'SIGKILL')
    await broken
    await expect.poll(() => readdir(join(dir, 'tmp')), { timeout: 20_000 }).toEqual([])
    expect(await send(server, 'GET', '/photos/large')).toBe(404)
    expect(await server.stop()).toMatchObject({ status: 0 })
  })
})

describe('a worker that stands still', () => {
  onLinux('delays commits of what it may keep, until it is killed and replaced', async () => {
    const server = await serve([next(), ...two], variables)
    await send(server, 'PUT', '/photos')
    await send(server, 'PUT', '/photos/a', 'old')
    for (let i = 0; i < 4; i++) expect(await read(ask(server, 'GET', '/photos/a'))).toBe('old')
    const [still = 0] = workersOf(server)
    process.kill(still, 'SIGSTOP')
    // One of them goes to the other worker. The one that waits for this worker gets another one with it.
    const puts = ['PUT', 'PUT'].map((method) => send(server, method, '/photos/a', 'new'))
    expect(await Promise.all(puts)).toEqual([200, 200])
    await server.line((line) => line.includes('"worker-ended"'))
    expect(jsonLines(server.stdout()).at(-1)).toMatchObject({ worker: still, signal: 'SIGKILL' })
    for (let i = 0; i < 4; i++) expect(await read(ask(server, 'GET', '/photos/a'))).toBe('new')
    expect(await server.stop()).toMatchObject({ status: 0 })
  })
})

describe('when the process that owns the store is killed', () => {
  onLinux('a worker that lags behind answers nothing of what it kept', async () => {
    const dir = next()
    const server = await serve([dir, ...two], variables)
    await send(server, 'PUT', '/photos')
    await send(server, 'PUT', '/photos/a', 'old')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let i = 0; i < 3; i++) expect(await read(ask(server, 'GET', '/photos/a', { agent }))).toBe('old')
    const workers = workersOf(server)
    for (const pid of workers) process.kill(pid, 'SIGSTOP')
    server.process.kill('SIGKILL')
    await once(server.process, 'exit')
    const store = await openStore(dir, { create: false })
    await store.objects.put('photos', 'a', 'new')
    const late = read(ask(server, 'GET', '/photos/a', { agent })).catch(() => 'no answer')
    await delay(100)
    for (const pid of workers) process.kill(pid, 'SIGCONT')
    expect(await late).toBe('no answer')
    await store.close()
    agent.destroy()
  })

  onLinux('its workers end with it, and the store is free', async () => {
    const dir = next()
    const server = await serve([dir, ...two], variables)
    await send(server, 'PUT', '/photos')
    const workers = workersOf(server)
    expect(workers).toHaveLength(2)
    server.process.kill('SIGKILL')
    await server.ended
    await expect.poll(() => workers.filter(isAlive), { timeout: 20_000 }).toEqual([])
    const store = await openStore(dir, { create: false })
    expect(await store.buckets.head('photos')).toMatchObject({ name: 'photos' })
    await store.close()
  })
})

describe('workers that are stopped', () => {
  onLinux('finish what is under way, also when every process gets the signal', async () => {
    const server = await serve([next(), ...two], variables)
    await send(server, 'PUT', '/photos')
    const upload = ask(server, 'PUT', '/photos/a', { length: 10 })
    upload.write('first')
    await delay(300)
    // As a terminal and an init system do.
    for (const pid of workersOf(server)) process.kill(pid, 'SIGTERM')
    const stopped = server.stop()
    await delay(300)
    await expect(fetch(`${server.url}/-/health`)).rejects.toThrow()
    upload.end('rests')
    expect(await statusOf(upload)).toBe(200)
    expect(await stopped).toMatchObject({ status: 0, signal: null })
  })

  it('wait no longer than the grace, and not at all a second time', async () => {
    for (const [grace, signals, expected] of [
      ['300ms', 1, 0],
      ['1h', 2, 143],
    ] as const) {
      const server = await serve([next(), ...two, '--grace', grace], variables)
      await send(server, 'PUT', '/photos')
      const upload = ask(server, 'PUT', '/photos/a', { length: 10 })
      upload.on('error', () => undefined).write('first')
      await delay(300)
      if (signals === 2) {
        server.process.kill('SIGTERM')
        await delay(300)
      }
      expect(await server.stop('SIGTERM')).toMatchObject({ status: expected })
    }
  })
})

describe('a store that fails under its workers', () => {
  // LevelDB cannot append to its log past the limit; opening again starts a new log file.
  it('is opened again, and nothing acknowledged is lost', async () => {
    const dir = next()
    const server = await serve([dir, '--workers', '2'], variables, 'ulimit -f 1024')
    await send(server, 'PUT', '/photos')
    const body = 'x'.repeat(20_000)
    const acknowledged: string[] = []
    let unavailable = 0
    for (let i = 0; i < 100; i++) {
      const status = await send(server, 'PUT', `/photos/${i}`, body)
      if (status === 200) acknowledged.push(String(i))
      else {
        expect(status).toBe(503)
        unavailable++
        // Each of them has to have heard of it.
        for (let requested = 0; requested < 4; requested++) {
          await expect.poll(() => health(server), { timeout: 20_000 }).toMatch(/^200/)
        }
      }
    }
    expect(unavailable).toBeGreaterThan(0)
    expect(acknowledged.length).toBeGreaterThan(60)
    const { status, stderr } = await server.stop()
    expect(status).toBe(0)
    expect(stderr).toContain('opening the store again')
    await expectKept(dir, acknowledged)
  })
})
