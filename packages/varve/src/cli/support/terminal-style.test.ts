import { Writable } from 'node:stream'
import { parseLocalMoment } from '@varve/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { scratchDirectory } from '../../scratch-directory.fixture.ts'
import { openStore } from '../../store/open-store.ts'
import { main } from '../main.ts'
import { paintedChange, relativeTime, terminalStyle } from './terminal-style.ts'

const scratch = scratchDirectory()
const green = '\u001b[32mtext\u001b[39m'
const hour = 3_600_000

describe('colours', () => {
  it.each([
    ['a terminal', { isTTY: true }, {}, green],
    ['a terminal, with an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, green],
    ['a terminal, with NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, 'text'],
    ['a terminal without colours', { isTTY: true }, { TERM: 'dumb' }, 'text'],
    ['a pipe', {}, {}, 'text'],
    ['a pipe, with FORCE_COLOR', {}, { FORCE_COLOR: '1' }, 'text'],
  ])('on %s', (_, stream, env, expected) => {
    expect(terminalStyle(stream, env).paint('green', 'text')).toBe(expected)
  })

  it('are those of the sign of a change', () => {
    const style = terminalStyle({ isTTY: true }, {})
    expect(paintedChange(style, '+ a')).toBe('\u001b[32m+ a\u001b[39m')
    expect(paintedChange(style, '- a')).toBe('\u001b[31m- a\u001b[39m')
    expect(paintedChange(style, 'There is nothing to undo.')).toBe('There is nothing to undo.')
  })
})

describe('a relative time', () => {
  it.each([
    [0, '0s ago'],
    [999, '0s ago'],
    [59_999, '59s ago'],
    [60_000, '1min ago'],
    [3 * hour, '3h ago'],
    [47 * hour, '1d ago'],
    [20 * 24 * hour, '2w ago'],
    [-1, ''],
  ])('%i ms before now is %j', (passed, expected) => {
    expect(relativeTime(10 ** 12 - passed, 10 ** 12)).toBe(expected)
  })

  it('is a moment that the options of commands take', () => {
    const now = 10 ** 12
    const text = relativeTime(now - 3 * hour, now)
    expect(parseLocalMoment(text, { now, offsetAt: () => 0 })).toEqual(new Date(now - 3 * hour))
  })
})

describe('the output of a command', () => {
  afterEach(() => void vi.unstubAllEnvs())

  async function printed(args: readonly string[], isTTY: boolean): Promise<string> {
    let text = ''
    const take = new Writable({
      write(chunk: Buffer, _encoding, done) {
        text += chunk.toString()
        done()
      },
    })
    const stdin = (async function* none(): AsyncGenerator<Uint8Array> {
      // Standard input is empty.
    })()
    await main(args, {
      stdin,
      stdout: Object.assign(take, { isTTY }),
      stderr: { write: (more) => (text += more), isTTY },
    })
    return text
  }

  it('has colours and relative times on a terminal alone, and never as JSON', async () => {
    vi.stubEnv('NO_COLOR', '')
    vi.stubEnv('TERM', 'xterm')
    const dir = scratch.next()
    const store = await openStore(dir)
    await store.buckets.create('photos')
    await store.objects.put('photos', 'a', 'x')
    await store.objects.delete('photos', 'a')
    await store.close()
    for (const args of [
      ['log'],
      ['history', 's3://photos/a'],
      ['diff', 's3://photos', '--from', '3'],
      ['cat', 's3://photos/b'],
    ]) {
      const command = [...args, '--dir', dir]
      expect(await printed(command, true)).toContain('\u001b[3')
      expect(await printed(command, false)).not.toContain('\u001b')
      expect(await printed([...command, '--json'], true)).not.toContain('\u001b')
    }
    expect(await printed(['history', 's3://photos/a', '--dir', dir], true)).toMatch(/\(\d+[sm] ago\)\n/)
    expect(await printed(['history', 's3://photos/a', '--dir', dir], false)).not.toContain('ago')
    vi.stubEnv('NO_COLOR', '1')
    expect(await printed(['log', '--dir', dir], true)).not.toContain('\u001b')
  })
})
