/**
 * Adds to both package-lock.json the optional platform packages that npm left out. Run it after adding a dependency.
 *
 *     node scripts/complete-lock.mjs
 *
 * A registry that carries only the binaries of one platform makes npm drop all others from the lock, and `npm ci`
 * then refuses that lock everywhere. Name, version and platform are all npm needs to know about a package that it is
 * going to skip; a machine that does want it takes the checksum from its registry.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const systems = new Map([
  ...['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'].map(
    (os) => [os, os],
  ),
  ['windows', 'win32'],
])
const processors = new Map([
  ...['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'].map((cpu) => [cpu, cpu]),
  ['64', 'x64'],
])
const libraries = new Map([
  ['gnu', 'glibc'],
  ['gnueabihf', 'glibc'],
  ['musl', 'musl'],
  ['musleabihf', 'musl'],
])

for (const path of ['package-lock.json', 'tools/package-lock.json']) complete(path)

function complete(path) {
  const url = new URL(`../${path}`, import.meta.url)
  const lock = JSON.parse(readFileSync(url, 'utf8'))
  const added = Object.values(lock.packages).flatMap((entry) => addMissing(lock, entry))
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(byPath))
  if (added.length > 0) writeFileSync(url, `${JSON.stringify(lock, undefined, 2)}\n`)
  console.log(added.length === 0 ? `${path} is complete.` : `${path}: added ${added.length}: ${added.join(', ')}`)
}

/** The names it had to add for one package of the lock. */
function addMissing(lock, { optionalDependencies = {}, dev, devOptional }) {
  return Object.entries(optionalDependencies).flatMap(([name, version]) => {
    const path = `node_modules/${name}`
    if (lock.packages[path] !== undefined) return []
    if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name}: ${version} is not one version; add it by hand.`)
    lock.packages[path] = {
      version,
      ...platformOf(name),
      ...(dev ? { dev } : {}),
      ...(devOptional ? { devOptional } : {}),
      optional: true,
    }
    return [name]
  })
}

/** What npm compares with the machine, read from the name as all these packages spell it. */
function platformOf(name) {
  const words = name.slice(name.lastIndexOf('/') + 1).split('-')
  const pick = (table) => words.map((word) => table.get(word)).find((found) => found !== undefined)
  const [os, cpu, libc] = [pick(systems), pick(processors), pick(libraries)]
  if (os === undefined || cpu === undefined) throw new Error(`${name} does not say its platform; add it by hand.`)
  return { cpu: [cpu], ...(libc === undefined ? {} : { libc: [libc] }), os: [os] }
}

/** npm's own order, so that its next write changes nothing. */
function byPath([left], [right]) {
  return left.localeCompare(right, 'en')
}
