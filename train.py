"""Train and score one configuration, or a sweep of them with -m; `--help` lists every choice."""

from raqa.main import main

if __name__ == "__main__":
    main()
