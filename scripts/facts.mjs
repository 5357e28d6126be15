// Writes docs/facts.md from the differential table, so that the page names the tests there are.
// `npm run docs` writes it; `node scripts/facts.mjs --check` fails when it is out of date. Needs a build.
import { readFile, writeFile } from 'node:fs/promises'
import { chapters } from '../test/dist/facts/facts.js'

const page = new URL('../docs/facts.md', import.meta.url)
const text = render()

if (process.argv.includes('--check')) {
  if ((await readFile(page, 'utf8')) !== text) {
    console.error('docs/facts.md is out of date: run `npm run docs`.')
    process.exitCode = 1
  }
} else await writeFile(page, text)

function render() {
  const facts = chapters.flatMap((chapter) => chapter.facts)
  return `# What S3 does, and where it is tested

Generated from the differential table: \`npm run docs\`.

${facts.length} facts. “recorded” names a public recording of AWS’s own answers, “s3-tests” a test of ceph/s3-tests that AWS passes, “seen
elsewhere” a public report of a server that did otherwise. Without a dialect a fact holds in both. Titles are as the tests
have them, parameters and all.
${chapters.map(chapterText).join('')}`
}

function chapterText({ title, facts }) {
  return `
## ${title}

| Fact | Known from | Dialect | Test |
|---|---|---|---|
${facts.map(row).join('\n')}
`
}

function row({ statement, source, dialect = '', test: { file, title } }) {
  return `| ${cell(statement)} | ${cell(source)} | ${dialect} | [${file.replace(/^.*\//, '')}](../${file}): ${code(title)} |`
}

function code(title) {
  const fence = title.includes('`') ? '``' : '`'
  return `${fence}${cell(title)}${fence}`
}

function cell(value) {
  return value.replaceAll('|', '\\|')
}
