/** `varve log` into a pipe without a reader: output that is not read is not held in memory. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openStore } from 'varve'
import { describe, expect, inject } from 'vitest'
import { measured, mib, sized, report } from './support/forms.ts'
import { memoryOf } from './support/process-figures.ts'

const events = sized(2000, 100_000)
/** Node, LevelDB's tables and a page of events; the log itself is many times that in the long form. */
const residentMax = 192
const command = inject('varveCommand')

describe('a reader of the log that stalls', () => {
  measured('holds up varve log, and no memory', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'varve-stalled-'))
    const store = await openStore(directory)
    await store.buckets.create('bounds')
    for (let from = 0; from < events; from += 1000) {
      await Promise.all(
        Array.from({ length: 1000 }, (_, i) =>
          store.objects.put('bounds', `k${from + i}`, 'x', { contentType: 'x'.repeat(500) }),
        ),
      )
    }
    const last = store.seq
    await store.close()
    const child = spawn(process.execPath, [command, 'log', '--dir', directory, '--json', '--follow'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'readable')
    let most = 0
    for (let i = 0; i < 20; i++) {
      most = Math.max(most, (await memoryOf(child.pid as number)).resident)
      await delay(100)
    }
    report(`varve log of ${last} events, not read: RSS ${(most / mib).toFixed(0)} MiB, of ${residentMax} allowed`)
    expect(most / mib).toBeLessThanOrEqual(residentMax)
    // It waited, and left nothing out.
    let text = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      text = (text + String(chunk)).slice(-2000)
      if (text.includes(`"seq":${last},`)) break
    }
    expect(text).toContain(`"seq":${last},`)
    child.kill('SIGINT')
    await once(child, 'close')
    await rm(directory, { recursive: true })
  })
})
