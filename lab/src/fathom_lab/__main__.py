from fathom_lab.cli import main

if __name__ == "__main__":
    main(prog_name="fathom-lab")
