/** A directory of files for clients that carry whole directories: nested, with odd names, an empty file, and a large one. */
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type Material, sha256 } from './material.ts'

const oddNames = ['with space', 'a+b', '100%', 'a%20b', 'ünïcödé', '日本語/🪨', "!*'()", 'a&b=c', '#first', 'a;b,c@d']

export async function plantTree(dir: string, { small, large, empty }: Material): Promise<void> {
  await mkdir(join(dir, 'sub'), { recursive: true })
  await copyFile(small, join(dir, 'sub', 'small'))
  await copyFile(large, join(dir, 'large'))
  await copyFile(empty, join(dir, 'sub', 'empty'))
  for (const name of oddNames) {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), `the file ${name}`)
  }
}

/** The paths of all files, in the directory. */
export async function filesIn(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(dir, join(entry.parentPath, entry.name)))
}

/** Path and digest of every file, in order. */
async function treeDigest(dir: string): Promise<readonly string[]> {
  const lines = (await filesIn(dir)).map(async (path) => `${path} ${sha256(await readFile(join(dir, path)))}`)
  return (await Promise.all(lines)).sort()
}

/** @throws Error naming what differs */
export async function sameTree(found: string, wanted: string): Promise<void> {
  const [a, b] = [await treeDigest(found), await treeDigest(wanted)]
  const differing = [...a.filter((line) => !b.includes(line)), ...b.filter((line) => !a.includes(line))]
  if (differing.length > 0) throw new Error(`The directories differ:\n${differing.join('\n')}`)
}
