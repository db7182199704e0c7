complete -c pkc-run -w 'processkit-cli run'
