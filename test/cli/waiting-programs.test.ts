/** Programs whose only work is to wait for the log of their own store. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { attachStore } from 'varve'
import { scratchPaths } from './run-varve.ts'

const next = scratchPaths()
const waits = {
  'a followed log': `for await (const { type } of store.log({ follow: true })) console.log(type)`,
  'a subscription': `for await (const batch of store.subscribe('mine')) { for (const { type } of batch.events) console.log(type); await batch.acknowledge() }`,
}

describe('a program', () => {
  it.each(Object.entries(waits))('goes on running while it waits for %s', async (_what, wait) => {
    const dir = next()
    const program = `import { openStore } from 'varve'; const store = await openStore(process.argv[1]); ${wait}`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, dir], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (data: string) => (text += data))
    const ended = once(child, 'exit')
    await expect.poll(() => text, { timeout: 30_000 }).toContain('RetentionSet')
    // It has nothing else to do now, and another process writes.
    const store = await attachStore(dir)
    await store.buckets.create('photos')
    await expect.poll(() => text, { timeout: 30_000 }).toContain('BucketCreated')
    await store.close()
    child.kill('SIGTERM')
    expect(await ended).toEqual([null, 'SIGTERM'])
  })
})
