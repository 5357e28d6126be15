/** `varve follow` as a process of its own, which nothing but its command keeps running. */
import { setTimeout as delay } from 'node:timers/promises'
import { createKeyring, openStore, restoreStore } from 'varve'
import { afterEach, describe, expect, test } from 'vitest'
import { endServersAfterEach, type Running, scratchPaths, serve, start, varve } from './run-varve.ts'

const freshPath = scratchPaths()
const running = new Set<Running>()
endServersAfterEach()

afterEach(() => {
  for (const { process } of running) process.kill('SIGKILL')
  running.clear()
})

function startApart(...args: readonly string[]): Running {
  const started = start(args)
  running.add(started)
  return started
}

async function replicated(): Promise<{ readonly dir: string; readonly replica: string }> {
  const [dir, replica] = [freshPath(), freshPath()]
  const store = await openStore(dir, { replicas: [{ to: replica, everyMs: 20 }] })
  await store.buckets.create('photos')
  await store.close()
  return { dir, replica }
}

describe('varve follow', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'goes on until %s, brings what comes meanwhile, and ends with status 0',
    async (signal) => {
      const { dir, replica } = await replicated()
      const copy = freshPath()
      const follower = startApart('follow', replica, copy, '--every', '50ms', '--json')
      await follower.line((line) => line.includes('"kind":"following"'))
      await delay(3000)
      expect(follower.process.exitCode).toBeNull()

      const store = await openStore(dir, { replicas: [{ to: replica, everyMs: 20 }] })
      await store.objects.put('photos', 'late', 'seen')
      await store.close()
      await expect
        .poll(async () => (await varve(['cat', 's3://photos/late', '--dir', copy, '--read-only'])).stdout, {
          timeout: 20_000,
          interval: 200,
        })
        .toBe('seen')

      follower.process.kill(signal)
      expect(await follower.ended).toMatchObject({ status: 0, signal: null, stderr: '' })
      // Closed, and not only gone: the next one finds no lock and no socket of it.
      const again = startApart('follow', replica, copy, '--json')
      await again.line((line) => line.includes('"kind":"following"'))
      again.process.kill('SIGTERM')
      expect(await again.ended).toMatchObject({ status: 0, stderr: '' })
    },
  )
})

describe('a store that an instant restore left in an encrypted replica', () => {
  test('is served without its keyring, and the server says why it is not filled', async () => {
    const [dir, replica, there] = [freshPath(), freshPath(), freshPath()]
    const keyring = createKeyring({ master: [Buffer.alloc(32, 7).toString('base64')] })
    const store = await openStore(dir, { keyring, replicas: [{ to: replica, everyMs: 20, encrypt: true }] })
    await store.buckets.create('photos')
    await store.objects.put('photos', 'long', 'x'.repeat(100_000))
    await store.close()
    await restoreStore(replica, there, { keyring, instant: true })
    const server = await serve([there])
    await expect.poll(server.stderr, { timeout: 20_000 }).toMatch(/cannot be brought: .*--keyring.*KeyUnavailable/)
    await server.stop()
    expect(await varve(['cat', 's3://photos/long', '--dir', there])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('KeyUnavailable') as string,
    })
  })
})
