/** A process in which a package that a layout needs cannot be found, whatever is installed here. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../tidy/tree.ts'

const hook = `export const resolve = (name, context, next) => {
  if (['lmdb', '@aws-sdk/client-s3'].includes(name)) throw Object.assign(new Error('There is none.'), { code: 'ERR_MODULE_NOT_FOUND' })
  return next(name, context)
}`
const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`
const withoutPackages = dataUrl(`import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hook))})`)

const attempt = `
import { migrateStore, openStore } from 'varve'
const told = async (work) => {
  try {
    await work()
    return 'done'
  } catch ({ code, message, details, hint }) {
    return { code, message, details, hint }
  }
}
const [, made, there] = process.argv
const opened = await told(() => openStore(made, { layout: 'lmdb+files' }))
await (await openStore(there)).close()
const migrated = await told(() => migrateStore(there, 'lmdb+files'))
console.log(JSON.stringify({ opened, migrated }))
`

describe('a layout whose package is not installed', () => {
  let scratch: string
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'varve-package-'))
  })
  afterAll(() => rm(scratch, { recursive: true, force: true }))

  it('is refused with the name of the package, and nothing is made', async () => {
    const [made, there] = [join(scratch, 'made'), join(scratch, 'there')]
    const args = ['--import', withoutPackages, '--input-type=module', '--eval', attempt, '--', made, there]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: join(root, 'test') })
    const refusal = {
      code: 'UnsupportedFormat',
      message: 'This needs the package lmdb, which is not installed.',
      details: { kind: 'package', package: 'lmdb' },
      hint: 'Run `npm install lmdb`.',
    }
    expect(JSON.parse(stdout)).toEqual({ opened: refusal, migrated: refusal })
    expect(await readdir(made)).toEqual([])
    expect(await readdir(join(there, 'migrating')).catch(() => [])).toEqual([])
    expect(await readdir(there)).toContain('FORMAT')
  }, 60_000)
  it('is wrong usage for the command, which names the package: a layout, and a server to import from', async () => {
    const command = join(root, 'packages/varve/bin/varve.js')
    const run = (...args: readonly string[]) =>
      promisify(execFile)(process.execPath, ['--import', withoutPackages, command, ...args])
    const dir = join(scratch, 'command')
    await run('init', '--dir', dir)
    for (const [name, ...args] of [
      ['lmdb', 'serve', join(scratch, 'new'), '--layout', 'lmdb+files', '--port', '0'],
      ['@aws-sdk/client-s3', 'import', '--from', 'http://127.0.0.1:9', 's3://photos', '--dir', dir],
    ] as const)
      await expect(run(...args)).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringContaining(
          `needs the package ${name}, which is not installed. (UnsupportedFormat)\nHint: Run \`npm install ${name}\`.`,
        ) as string,
      })
  }, 60_000)
})
