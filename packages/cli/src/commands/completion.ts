import { Argument } from 'commander';
import type { Command } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const HELP = `
  bash:  source <(countersign completion bash)        in ~/.bashrc
  zsh:   source <(countersign completion zsh)         in ~/.zshrc, after compinit
  fish:  countersign completion fish > ~/.config/fish/completions/countersign.fish`;

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print the completion of this command for a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => {
      process.stdout.write(SCRIPTS[shell](wordsOf(program)));
    });
}

interface Words {
  readonly name: string;
  readonly description: string;
  readonly options: readonly { readonly flag: string; readonly description: string }[];
}

function wordsOf(program: Command): Words[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: command.options.flatMap(({ long, description }) =>
      long === undefined || long === null ? [] : [{ flag: long, description }],
    ),
  }));
}

const flagsOf = ({ options }: Words) => options.map(({ flag }) => flag).join(' ');
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Options of the command, else files; nothing of ours after `--`. */
const SCRIPTS: Readonly<Record<Shell, (words: readonly Words[]) => string>> = {
  bash: (words) => `_countersign() {
  local word=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} at options=
  for ((at = 1; at < COMP_CWORD; at++)); do
    [[ \${COMP_WORDS[at]} == -- ]] && { COMPREPLY=($(compgen -f -- "$word")); return; }
  done
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W ${quoted(words.map(({ name }) => name).join(' '))} -- "$word"))
    return
  fi
  case $command in
${words.map((each) => `    ${each.name}) options=${quoted(flagsOf(each))} ;;`).join('\n')}
  esac
  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word"))
  else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _countersign countersign
`,
  zsh: (words) => `_countersign() {
  local -a commands=(${words.map(({ name, description }) => quoted(`${name}:${description}`)).join(' ')})
  if ((CURRENT == 2)); then _describe command commands; return; fi
  local -a options
  case $words[2] in
${words.map(({ name, options }) => `    ${name}) options=(${options.map(({ flag, description }) => quoted(`${flag}:${description}`)).join(' ')}) ;;`).join('\n')}
  esac
  if [[ $PREFIX == -* && \${words[(I)--]} -eq 0 ]]; then _describe option options; else _files; fi
}
compdef _countersign countersign
`,
  fish: (words) =>
    words
      .flatMap(({ name, description, options }) => [
        `complete -c countersign -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
        ...options.map(
          ({ flag, description }) =>
            `complete -c countersign -n ${quoted(`__fish_seen_subcommand_from ${name}`)} -l ${flag.slice(2)} -d ${quoted(description)}`,
        ),
      ])
      .join('\n') + '\n',
};
