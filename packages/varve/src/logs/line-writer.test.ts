import { execFileSync } from 'node:child_process'
import { constants } from 'node:fs'
import { open, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { jsonLine } from './json-line.ts'
import { jsonLogger } from './json-logger.ts'
import { LineWriter } from './line-writer.ts'

const { next: fileName } = scratchDirectory()
const text = (path: string): Promise<string> => readFile(path, 'utf8')

describe('a writer of lines', () => {
  it('appends to what a file has, and keeps the file from others', async () => {
    const target = fileName()
    for (const line of ['one\n', 'two\n']) {
      const writer = await LineWriter.open({ target })
      writer.write(line)
      await writer.close()
    }
    expect(await text(target)).toBe('one\ntwo\n')
    expect((await stat(target)).mode & 0o777).toBe(0o600)
  })

  it('goes on in a new file after the old one was moved', async () => {
    const target = fileName()
    const writer = await LineWriter.open({ target })
    writer.write('one\n')
    await expect.poll(() => text(target)).toBe('one\n')
    await rename(target, `${target}.1`)
    writer.reopen()
    await expect.poll(() => text(target).catch(() => undefined)).toBe('')
    writer.write('two\n')
    await writer.close()
    expect([await text(`${target}.1`), await text(target)]).toEqual(['one\n', 'two\n'])
  })

  it('goes on in the old file while a new one cannot be opened', async () => {
    const problems: string[] = []
    const target = fileName()
    const writer = await LineWriter.open({ target, onProblem: (problem) => problems.push(problem) })
    writer.write('one\n')
    await expect.poll(() => text(target)).toBe('one\n')
    await rename(target, `${target}.1`)
    execFileSync('mkdir', [target])
    writer.reopen()
    await expect.poll(() => problems.length).toBe(1)
    writer.write('two\n')
    await writer.close()
    expect(await text(`${target}.1`)).toBe('one\ntwo\n')
  })

  it('drops lines that a slow reader has no room for, and counts them in the log', async () => {
    const target = fileName()
    const problems: string[] = []
    execFileSync('mkfifo', [target])
    // Both ends are open, so that nothing waits for the other end.
    const pipe = await open(target, constants.O_RDWR | constants.O_NONBLOCK)
    const writer = await LineWriter.open({ target, waitingMax: 100_000, onProblem: (text) => problems.push(text) })
    const line = `${'x'.repeat(999)}\n`
    for (let at = 0; at < 1000; at++) {
      writer.write(line)
      if (at % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(problems).toEqual([`${target} is too slow: lines are dropped.`])
    let read = ''
    const isOver = () => read.includes('"dropped"')
    for (const end = performance.now() + 20_000; !isOver() && performance.now() < end; ) {
      const { buffer, bytesRead } = await pipe
        .read(Buffer.alloc(65_536))
        .catch(() => ({ buffer: Buffer.alloc(0), bytesRead: 0 }))
      read += buffer.toString('utf8', 0, bytesRead)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    const lines = read.trimEnd().split('\n')
    const { dropped } = JSON.parse(lines.at(-1) ?? '{}') as { readonly dropped?: number }
    expect(lines.length - 1 + (dropped ?? 0)).toBe(1000)
    expect(new Set(lines.slice(0, -1))).toEqual(new Set([line.trimEnd()]))
    await writer.close()
    await pipe.close()
  })

  it('refuses a file that cannot be written', async () => {
    await expect(LineWriter.open({ target: join(fileName(), 'missing') })).rejects.toMatchObject({
      code: 'InvalidArgument',
    })
  })
})

describe('a line of JSON', () => {
  it('has escapes for what could change a terminal or the end of a line', () => {
    const lines: string[] = []
    const key = 'a\n\x1b[2J\x7f\x9b\u2028\u202eb'
    jsonLogger((line) => void lines.push(jsonLine(line))).info({ key })
    expect(lines).toHaveLength(1)
    expect(lines[0]?.trimEnd()).toMatch(/^[\x20-\x7e]+$/)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      key,
      time: expect.stringMatching(/Z$/) as string,
    })
  })
})
