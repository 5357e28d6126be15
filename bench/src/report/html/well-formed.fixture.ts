/** Tags that are not closed in order; void elements and SVG's own endings aside. Empty for a page that is well formed. */
export function unclosed(text: string): string[] {
  const open: string[] = []
  const body = text.replace(/<style>[\s\S]*?<\/style>/, '').replace('<!doctype html>', '')
  for (const [, slash, name = '', rest = ''] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)([^<>]*)>/g)) {
    if (slash === '/') {
      if (open.pop() !== name) return [`</${name}>`]
    } else if (!['meta', 'br'].includes(name) && !rest.endsWith('/')) open.push(name)
  }
  return open
}
