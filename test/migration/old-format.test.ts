import { readdir, readFile } from 'node:fs/promises'
import type { RecordedEvent } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { OldLogWriter } from './old-format.ts'

const golden = new URL('../compat/format-1/', import.meta.url)

describe('the writer of the old format', () => {
  it('writes every golden log to the byte', async () => {
    const names = await readdir(golden)
    expect(names.length).toBeGreaterThan(3)
    for (const name of names) {
      const writer = new OldLogWriter()
      for (const line of (await readFile(new URL(name, golden), 'utf8')).trimEnd().split('\n')) {
        const [header, payload] = [line.slice(0, 10), line.slice(11)] as const
        const frame = writer.append(JSON.parse(payload) as RecordedEvent)
        expect(Buffer.from(frame.subarray(0, 5)).toString('hex'), `${name}: ${payload}`).toBe(header)
        expect(Buffer.from(frame.subarray(5)).toString()).toBe(payload)
      }
    }
  })
})
