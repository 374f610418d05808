import type { Fact } from './manifest.ts';

/** Libraries that characterize a project, by the last part of their name. */
const NOTABLE: ReadonlySet<string> = new Set(
  [
    'react preact vue svelte solid-js angular core next nuxt astro remix vite webpack electron express fastify hono koa nest zod typescript vitest jest playwright drizzle-orm prisma ai',
    'django flask fastapi starlette pydantic sqlalchemy numpy pandas torch tensorflow scikit-learn transformers pytest celery click typer',
    'tokio axum actix-web serde clap rocket bevy tauri sqlx diesel hyper tonic',
    'gin echo fiber cobra grpc gorm',
    'rails sinatra sidekiq rspec laravel symfony phpunit phoenix ecto phoenix_live_view',
    'spring-boot-starter-web spring-boot-starter quarkus-core junit-jupiter kotlinx-coroutines-core flutter',
    'boost qt5 qt6 opencv openssl',
  ].flatMap((names) => names.split(' ')),
);

/** Maximum number of dependencies to show. */
const SHOWN = 6;

const lastPart = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\/v\d+$/u, '')
    .split('/')
    .at(-1) ?? '';

/** Returns the most informative dependencies: the well-known ones, or else the first. */
export function notableDependencies(dependencies: readonly Fact[]): Fact[] {
  const known = dependencies.filter(({ value }) => NOTABLE.has(lastPart(value)));
  return (known.length > 0 ? known : dependencies).slice(0, SHOWN);
}
