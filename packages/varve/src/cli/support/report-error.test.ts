import { type ErrorCode, StorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { exitCodeOf, Interrupted, OutputClosed, UsageError } from './exit-codes.ts'
import { errorReport, errorText } from './report-error.ts'

const locked = new StorageError('StoreLocked', 'Another has it.', {
  details: { pid: 7 },
  hint: 'Stop it with `varve task stop`.',
})
const hintOf = (code: ErrorCode) => new StorageError(code, '').hint
const general = new StorageError('StoreLocked', '').hint
const inUse = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' })

describe('an error', () => {
  it.each([
    [locked, 3, 'varve: Another has it. (StoreLocked)\nHint: Stop it with `varve task stop`.'],
    [new StorageError('StoreLocked', 'Locked.'), 3, `varve: Locked. (StoreLocked)\nHint: ${general}`],
    [new StorageError('NoSuchKey', 'No\u001b[31m key.'), 1, String.raw`varve: No\x1b[31m key. (NoSuchKey)`],
    [
      new StorageError('No\u001b[31m' as 'NoSuchKey', 'From a server.'),
      1,
      String.raw`varve: From a server. (No\x1b[31m)`,
    ],
    [new StorageError('LogCorrupt', 'Bad.'), 5, `varve: Bad. (LogCorrupt)\nHint: ${hintOf('LogCorrupt')}`],
    [new StorageError('StoreNotFound', 'None.'), 6, `varve: None. (StoreNotFound)\nHint: ${hintOf('StoreNotFound')}`],
    [new StorageError('JournalFailed', 'Disk.'), 7, `varve: Disk. (JournalFailed)\nHint: ${hintOf('JournalFailed')}`],
    [
      new StorageError('BlobFailed', 'Gone.', { details: { errno: 'EIO' } }),
      7,
      `varve: Gone. (BlobFailed)\nHint: ${hintOf('BlobFailed')}`,
    ],
    [
      new StorageError('BlobFailed', 'Net.', { details: { kind: 'connection' } }),
      7,
      `varve: Net. (BlobFailed)\nHint: ${hintOf('BlobFailed')}`,
    ],
    [
      new StorageError('BlobFailed', 'No.', { details: { errno: 'EACCES' } }),
      1,
      `varve: No. (BlobFailed)\nHint: ${hintOf('BlobFailed')}`,
    ],
    [
      new StorageError('JournalFailed', 'No.', { details: { errno: 'ENOTDIR' } }),
      1,
      `varve: No. (JournalFailed)\nHint: ${hintOf('JournalFailed')}`,
    ],
    [
      new StorageError('BlobFailed', 'Key.', { details: { kind: 'X', status: 403 } }),
      1,
      `varve: Key. (BlobFailed)\nHint: ${hintOf('BlobFailed')}`,
    ],
    [
      new StorageError('BlobFailed', 'Key.', { details: { kind: 'ProviderError' } }),
      1,
      `varve: Key. (BlobFailed)\nHint: ${hintOf('BlobFailed')}`,
    ],
    [new UsageError('What?'), 2, 'varve: What?\nvarve --help says more.'],
    [new UsageError('What?', { hint: 'Add `--yes`.' }), 2, 'varve: What?\nHint: Add `--yes`.\nvarve --help says more.'],
    [inUse, 1, 'varve: listen EADDRINUSE (EADDRINUSE)'],
    [new TypeError('Odd.'), 1, 'varve: Odd. (TypeError)'],
    ['thrown', 1, 'varve: thrown (Error)'],
    [new Interrupted('SIGTERM'), 143, undefined],
    [new OutputClosed('Gone.'), 0, undefined],
  ])('%s has a status and a text', (error, status, text) => {
    expect(exitCodeOf(error)).toBe(status)
    expect(errorReport(error, { json: false })).toBe(text)
  })

  it('is JSON for programs, details included', () => {
    const report = errorReport(locked, { json: true }) ?? ''
    expect(JSON.parse(report)).toEqual({
      error: {
        code: 'StoreLocked',
        message: 'Another has it.',
        hint: 'Stop it with `varve task stop`.',
        details: { pid: 7 },
      },
    })
  })

  it('is logged with its causes', () => {
    const error = new StorageError('StoreFailed', 'Stopped.', { cause: locked })
    expect(errorText(error)).toBe('Stopped. (StoreFailed); cause: Another has it. (StoreLocked)')
  })
})
