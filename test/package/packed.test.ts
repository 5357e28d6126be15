/**
 * What people install, as they install it: the five tarballs in an empty project, then a store opened from each
 * module system, with and without types. Nothing here sees the sources; `npm test` has built `dist` before.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Consumer, consumers, unbundled } from './consumers.ts'

interface Packed {
  readonly name: string
  readonly filename: string
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const entries: Readonly<Record<string, string>> = {
  '@varve/core': 'dist/index',
  '@varve/adapters': 'dist/index',
  '@varve/http': 'dist/index',
  varve: 'dist/index',
  '@varve/bench': 'dist/src/index',
}
const names = Object.keys(entries)
const minutes = 60_000

/** One session with a store: what is put is what is got, by the API of the README. */
const session = `
  const store = await openStore(process.argv[2])
  await store.buckets.create('photos')
  await store.objects.put('photos', 'a.txt', 'hello')
  const got = await store.objects.get('photos', 'a.txt')
  console.log(await got.text())
  // Long enough for a digest thread to start: the process must end all the same.
  for (let i = 0; i < 10; i++) await store.objects.put('photos', 'large', Buffer.alloc(1 << 20))
  await store.close()
`

describe('the packed packages', () => {
  let scratch: string
  let project: string
  let packed: readonly Packed[]

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'varve-packed-'))
    project = join(scratch, 'project')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true }))
    const workspaces = names.map((name) => `--workspace=${name}`)
    const { stdout } = await npm(root, ['pack', '--json', '--pack-destination', scratch, ...workspaces])
    packed = packedIn(stdout)
    const tarballs = packed.map(({ filename }) => join(scratch, filename))
    await npm(project, ['install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs])
  }, 5 * minutes)
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

  it('are five, each with its build and none with its tests', () => {
    expect(packed.map(({ name }) => name).sort()).toEqual([...names].sort())
    for (const { name, files, unpackedSize } of packed) {
      const paths = files.map(({ path }) => path)
      expect(paths, name).toEqual(
        expect.arrayContaining(['package.json', `${entries[name]}.js`, `${entries[name]}.d.ts`]),
      )
      const unwanted = paths.filter((path) => /\.(test|test-d|fixture)\.|\.tsbuildinfo$|^src\/|^\.turbo/.test(path))
      expect(unwanted, name).toEqual([])
      expect(unpackedSize, name).toBeLessThan(3 * 1024 * 1024)
    }
  })

  it('open a store by import', async () => {
    const script = `import { openStore } from 'varve'\n${session}`
    expect(await runScript('by-import.mjs', script)).toEqual({ stdout: 'hello\n', stderr: '' })
  })

  it('open a store by require', async () => {
    const script = `const { openStore } = require('varve')\nvoid (async () => {${session}})()`
    expect(await runScript('by-require.cjs', script)).toEqual({ stdout: 'hello\n', stderr: '' })
  })

  it.each(consumers)('compile and run in $title', async (consumer) => {
    expect(await compile(consumer)).toEqual({ stdout: '', stderr: '' })
    const compiled = join(project, 'compiled', consumer.output)
    const program = consumer.isBundled ? await bundle(compiled) : compiled
    const store = join(scratch, `store-of-${consumer.file}`)
    expect(await run(process.execPath, [program, store], project)).toEqual({ stdout: 'hello\ntrue\n', stderr: '' })
  })

  it('are checked by a compiler that sees their types', async () => {
    const source = `import { openStore } from 'varve'\nvoid openStore('x').then((store) => store.objects.put('a', 'b', 1))\n`
    const wrong = { ...consumers[0], file: 'wrong.mts', source } as Consumer
    await expect(compile(wrong)).rejects.toMatchObject({ stdout: expect.stringMatching(/^wrong\.mts.*error TS2345/) })
  })

  it('agree on one copy of core, so that an error of one is known to all', async () => {
    const { stdout } = await npm(project, ['ls', '--all', '--json', '@varve/core'])
    expect(
      new Set([...stdout.matchAll(/"@varve\/core": \{\s*"version": "([^"]+)"/g)].map(([, version]) => version)).size,
    ).toBe(1)
    const script = `
      import { openStore } from 'varve'
      import { isStorageError } from '@varve/core'
      const store = await openStore(process.argv[2])
      const error = await store.objects.get('missing', 'a.txt').catch((reason) => reason)
      console.log(isStorageError(error, 'NoSuchBucket'))
      await store.close()
    `
    expect(await runScript('one-core.mjs', script)).toEqual({ stdout: 'true\n', stderr: '' })
  })

  it('bring the varve command', async () => {
    const { stdout } = await npm(project, ['exec', '--offline', '--', 'varve', '--help'])
    expect(stdout).toContain('serve')
  })

  it('bring the bench with its own package alone', async () => {
    const bench = ['exec', '--offline', '--', 'varve', 'bench', '--help']
    expect((await npm(project, bench)).stdout).toContain('--rivals')
    rmSync(join(project, 'node_modules/@varve/bench'), { recursive: true })
    expect((await npm(project, bench)).stdout).not.toContain('--rivals')
    const refused = npm(project, ['exec', '--offline', '--', 'varve', 'bench'])
    await expect(refused).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('npm install @varve/bench'),
    })
  })

  /** Checks a consumer with the declarations of the packages, strictly, and writes its JavaScript. */
  const compile = async ({ file, source, module, moduleResolution }: Consumer) => {
    writeFileSync(join(project, file), source)
    const compilerOptions = {
      target: 'es2023',
      lib: ['es2023'],
      module,
      moduleResolution,
      strict: true,
      skipLibCheck: false,
      noEmitOnError: true,
      rootDir: '.',
      outDir: 'compiled',
      typeRoots: [join(root, 'node_modules/@types')],
      types: ['node'],
    }
    const config = `tsconfig.${file}.json`
    writeFileSync(join(project, config), JSON.stringify({ compilerOptions, files: [file] }))
    return run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--project', config], project)
  }

  /** Puts a program and all packages that it imports into one file, beside none of theirs. */
  const bundle = async (program: string) => {
    const outfile = join(project, 'bundled', 'program.mjs')
    const format = { platform: 'node', format: 'esm', target: 'node20' } as const
    await build({ ...format, entryPoints: [program], bundle: true, outfile, external: [...unbundled] })
    return outfile
  }

  /** Runs a script inside the project with the path of a fresh store as its argument. */
  const runScript = async (name: string, script: string) => {
    const path = join(project, name)
    writeFileSync(path, script)
    return run(process.execPath, [path, join(scratch, `store-of-${name}`)], project)
  }
})

/** npm 10 and 11 print a list, newer ones a record by package name. */
function packedIn(stdout: string): readonly Packed[] {
  const parsed = JSON.parse(stdout) as readonly Packed[] | Readonly<Record<string, Packed>>
  return Object.values(parsed)
}

function npm(cwd: string, args: readonly string[]) {
  return run('npm', args, cwd)
}

/** The environment without the variables that an enclosing `npm test` sets for *its* project. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(package|lifecycle|config_local_prefix|config_workspace)|NODE_OPTIONS|VITEST|INIT_CWD)/.test(name),
  ),
)

function run(command: string, args: readonly string[], cwd: string) {
  const shell = process.platform === 'win32'
  return promisify(execFile)(command, args, { cwd, env: environment, encoding: 'utf8', timeout: 4 * minutes, shell })
}
