/** Other names may resolve to loopback too, but only these certainly do. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')
