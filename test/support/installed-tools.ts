/** The tools of `tools/package.json`, installed before tests import them. */
const scripts: string = new URL('../../scripts/tools.mjs', import.meta.url).href

/** Called by vitest before it starts the first test of the long tier. */
export async function setup(): Promise<void> {
  const { installTools } = (await import(scripts)) as { installTools(): void }
  installTools()
}
